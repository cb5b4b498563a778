import OperationFlow

// States at the end: undos, and steps that always run.
extension MachineWriter {
  /// Writes a state that records the step as done, so that it is undone if the run fails.
  mutating func writeDone(
    _ step: FlowPlan.Step, into list: inout StateList, next: String, _ around: Surroundings
  ) -> String {
    guard around.notesDone, step.undo != nil else { return next }
    return list.add(
      name(step, "done"),
      [
        "Type": "Pass",
        "Parameters": ["step": .text(step.path.description), "before.$": .text(DataPath.own("done"))],
        "ResultPath": .text(DataPath.own("done")),
      ], next: next)
  }

  /// Writes the states after the last step and after a failure; returns the first state of each.
  mutating func writeEnding(into list: inout StateList, hasUndo: Bool) -> (end: String, failure: String) {
    let failed = writeFailure(into: &list)
    guard !plan.always.isEmpty else { return (list.end, hasUndo ? "Undo" : failed) }
    var next = list.add(
      "Ending",
      [
        "Type": "Choice",
        "Choices": [
          ["Variable": .text(DataPath.own("error.Error")), "IsPresent": .boolean(true), "Next": .text(failed)]
        ], "Default": .text(list.target(list.end)),
      ])
    for (place, step) in plan.always.enumerated().reversed() where step.blocks.contains(where: { !$0.isEmpty }) {
      let following = next
      // The first error of a run remains its error.
      let keep = list.add(
        "Always \(place + 1): keep the error",
        [
          "Type": "Pass", "InputPath": .text(DataPath.own("lateError")),
          "ResultPath": .text(DataPath.own("error")),
        ], next: following)
      let choose = list.add(
        "Always \(place + 1): failed",
        [
          "Type": "Choice",
          "Choices": [
            ["Variable": .text(DataPath.own("error.Error")), "IsPresent": .boolean(true), "Next": .text(following)]
          ], "Default": .text(keep),
        ])
      next = write(
        [step], into: &list, next: following,
        Surroundings(end: following, failure: choose, errorPart: "lateError", notesDone: false))
    }
    afterUndos = next
    return (next, hasUndo ? "Undo" : next)
  }

  /// Writes the states that end the execution with its first error; returns the first of them.
  private func writeFailure(into list: inout StateList) -> String {
    let name = LanguageJSON.text(DataPath.own("error.Error"))
    let ofWorkers = list.add(
      "Failed", ["Type": "Fail", "ErrorPath": name, "CausePath": .text(DataPath.own("error.Cause"))])
    // A `Fail` state can't use an error name that the language reserves, and such an error may have no cause.
    let ofEngine = list.add(
      "Failed by the engine",
      [
        "Type": "Fail", "Error": .text(FlowTaskFailure.failedName),
        "CausePath": .text(
          "States.Format('{}: the history of the execution or of one that its map has started says of which task.', \(DataPath.own("error.Error")))"
        ),
      ])
    return list.add(
      "Failure",
      [
        "Type": "Choice", "Choices": [["Variable": name, "StringMatches": "States.*", "Next": .text(ofEngine)]],
        "Default": .text(ofWorkers),
      ])
  }

  /// Writes the undos; the step that was done last is undone first, whatever the data contains.
  mutating func writeUndos(into list: inout StateList) {
    let undone = list.add(
      "Undone",
      [
        "Type": "Pass", "InputPath": .text(DataPath.own("done.before")), "ResultPath": .text(DataPath.own("done")),
      ], next: "Undo")
    let variable = LanguageJSON.text(DataPath.own("done.step"))
    var choices: [LanguageJSON] = []
    for step in plan.steps.flatMap(\.all) {
      guard let undo = step.undo else { continue }
      let entry: String
      if case .group = step.kind {
        entry = writeItemUndos(of: step, undo, into: &list, next: undone)
      } else {
        var state = task(
          step, .undo, .whole, ["error.$": .text(DataPath.own("error"))], resultPath: "$", timeout: undo.timeout,
          retry: undo.retry)
        state["Catch"] = [Self.caughtUndo(next: undone)]
        entry = list.add(name(step, "undo"), state, next: undone)
      }
      choices.append([
        "And": [
          ["Variable": variable, "IsPresent": .boolean(true)],
          ["Variable": variable, "StringEquals": .text(step.path.description)],
        ], "Next": .text(entry),
      ])
    }
    _ = list.add(
      "Undo",
      ["Type": "Choice", "Choices": .array(choices), "Default": .text(afterUndos)])
  }

  /// Returns a rule that continues with the other undos after one has failed.
  private static func caughtUndo(next: String) -> LanguageJSON {
    [
      "ErrorEquals": ["States.ALL"], "ResultPath": .text(DataPath.own("undoError")), "Next": .text(next),
    ]
  }

  private mutating func writeItemUndos(
    of step: FlowPlan.Step, _ undo: FlowPlan.Undo, into list: inout StateList, next: String
  ) -> String {
    var items = StateList(end: name(step, "end of undo"))
    let failed = items.add(name(step, "item undo failed"), ["Type": "Pass"], next: items.end)
    var state = task(
      step, .undoItem, .selected,
      ["item.$": "$.item", "index.$": "$.index", "output.$": "$.output", "error.$": "$.error"], timeout: undo.timeout,
      retry: undo.retry)
    state["Catch"] = [["ErrorEquals": ["States.ALL"], "ResultPath": "$.failure", "Next": .text(failed)]]
    let start = items.add(name(step, "item undo"), state, next: items.end)
    var processor = items.parts(start: start)
    processor["ProcessorConfig"] = ["Mode": "INLINE"]
    let map: StateList.State = [
      "Type": "Map", "ItemsPath": .text(DataPath.own("done.items")), "MaxConcurrency": .integer(1),
      "ItemSelector": [
        "item.$": "$$.Map.Item.Value.item", "index.$": "$$.Map.Item.Value.index",
        "output.$": "$$.Map.Item.Value.output", "run.$": "$$.Execution.Id", "bucket.$": "$",
        "error.$": .text(DataPath.own("error")),
      ],
      "ItemProcessor": .object(processor), "ResultPath": .null, "Catch": [Self.caughtUndo(next: next)],
    ]
    return list.add(name(step, "undo"), map, next: next)
  }
}
