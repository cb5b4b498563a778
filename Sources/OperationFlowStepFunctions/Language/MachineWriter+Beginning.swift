import OperationFlow

// What happens before the first step.
extension MachineWriter {
  /// Gives names that the input doesn't have the value `null`: a path to a member that is missing ends an execution.
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

  /// Sets up the library's own member of the data.
  func writeOwnData(into list: inout StateList, next: String) -> String {
    list.add(
      "Begin",
      [
        "Type": "Pass", "Result": ["done": [:], "error": [:]], "ResultPath": .text("$.\(DataPath.reserved)"),
      ], next: next)
  }
}
