import OperationFlow

// Groups: maps over items.
extension MachineWriter {
  /// The maximum number of items that an inline map runs at once.
  private static let widestInline = 40

  mutating func writeGroup(
    _ step: FlowPlan.Step, _ group: FlowPlan.Group, into list: inout StateList, next: String, _ around: Surroundings
  ) -> String {
    let hasUndo = around.notesDone && step.undo != nil
    // A failure that ends the map discards the other items' results.
    let keepsFailures = group.tolerance != .none || hasUndo
    // An item's operation may have no output, so a task collects the outputs that exist.
    let isPlain = group.runsClosure && group.output.map(DataPath.isIdentifier) ?? true
    let isSettled = keepsFailures || (group.output != nil && !isPlain)
    var next = next
    var resultPath: LanguageJSON = group.output.map { .text(DataPath.key($0)) } ?? .null
    if isSettled {
      usesOwnData = true
      resultPath = .text(DataPath.own("items"))
      if hasUndo { next = writeFailed(step, into: &list, next: next, around) }
      let settle = task(step, .settle, .whole, ending(around), resultPath: "$")
      next = list.add(name(step, "settle"), catching(settle, around, in: &list), next: next)
    }
    let mode: FlowTask.Mode = isSettled ? .indexedItem : group.output == nil ? .nothing : .item
    let items = writeItems(step, mode == .nothing ? .item : mode, keepsFailures: keepsFailures, around)
    let isDistributed = group.width > Self.widestInline || options.distributedGroups.contains(step.name)
    var processor = items
    processor["ProcessorConfig"] =
      isDistributed ? ["Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"] : ["Mode": "INLINE"]
    var selector: [String: LanguageJSON] = [
      "item.$": "$$.Map.Item.Value", "index.$": "$$.Map.Item.Index", "run.$": "$$.Execution.Id",
    ]
    if let reads = step.reads {
      selector["bucket"] = .object(
        Dictionary(
          reads.map { ("\($0.name).$", LanguageJSON.text(DataPath.key($0.name))) }, uniquingKeysWith: { $1 }))
    } else {
      selector["bucket.$"] = "$"
    }
    selector.merge(ending(around)) { $1 }
    let map: StateList.State = [
      "Type": "Map", "ItemsPath": .text(DataPath.key(group.input)), "MaxConcurrency": .integer(group.width),
      "ItemSelector": .object(selector), "ItemProcessor": .object(processor), "ResultPath": resultPath,
    ]
    return list.add(name(step), catching(map, around, in: &list), next: next)
  }

  /// Writes the states of an item; with `keepsFailures`, a failure becomes the item's result.
  private mutating func writeItems(
    _ step: FlowPlan.Step, _ mode: FlowTask.Mode, keepsFailures: Bool, _ around: Surroundings
  ) -> [String: LanguageJSON] {
    var items = StateList(end: name(step, "end of item"))
    var more: [String: LanguageJSON] = ["item.$": "$.item", "index.$": "$.index"]
    if !around.notesDone { more["error.$"] = "$.error" }
    var state = task(step, mode, .selected, more, timeout: step.timeout, retry: step.retry)
    if keepsFailures {
      let failed = items.add(
        name(step, "item failed"),
        ["Type": "Pass", "Parameters": ["index.$": "$.index", "failure.$": "$.failure"]], next: items.end)
      state["Catch"] = [["ErrorEquals": ["States.ALL"], "ResultPath": "$.failure", "Next": .text(failed)]]
    }
    let start = items.add(name(step, "item"), state, next: items.end)
    return items.parts(start: start)
  }
}
