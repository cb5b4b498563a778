import OperationFlow

// States before the first step.
extension MachineWriter {
  /// Sets names that the input doesn't have to `null`, because a path to a missing member ends an execution.
  func writeExpected(into list: inout StateList, next: String) -> String {
    let own = "$.\(DataPath.reserved)"
    let merge = list.add(
      "Begin: input",
      [
        "Type": "Pass", "Parameters": ["data.$": .text("States.JsonMerge(\(own), $$.Execution.Input, false)")],
        "OutputPath": "$.data",
      ], next: next)
    let missing = Dictionary(expectedNames.map { ($0, LanguageJSON.null) }) { $1 }
    return list.add(
      "Begin: missing values", ["Type": "Pass", "Result": .object(missing), "ResultPath": .text(own)], next: merge)
  }

  /// Creates the library's own member of the data.
  func writeOwnData(into list: inout StateList, next: String) -> String {
    list.add(
      "Begin",
      [
        "Type": "Pass", "Result": ["done": [:], "error": [:]], "ResultPath": .text("$.\(DataPath.reserved)"),
      ], next: next)
  }
}
