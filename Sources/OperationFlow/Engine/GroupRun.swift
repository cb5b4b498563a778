/// A group at work: its items, and the outputs that have come in.
struct GroupRun: Sendable {
  let step: GroupStep
  /// The items, if all of them were there from the start.
  let allItems: FlowGroupItems?
  /// Where the items come from, if they come one after the other.
  let stream: (any ItemStream)?
  /// The items that were pulled from the stream and have not ended, by index.
  private var pulled: [Int: any Sendable] = [:]
  private var pulledCount = 0
  private(set) var outputs: [(any Sendable)?] = []
  private(set) var failures: [FlowItemFailure] = []
  private var (succeededCount, failedCount, cancelledCount) = (0, 0, 0)
  /// Whether no more items come.
  private var isReadToEnd: Bool
  /// Whether an item's output is shown as `<redacted>`, and so the output that is collected.
  var hidesOutputs = false
  /// Whether the items are shown as `<redacted>`.
  var hidesInputs = false

  init(step: GroupStep, items: FlowGroupItems) {
    self.step = step
    allItems = items
    stream = nil
    isReadToEnd = true
    hidesInputs = items.isSensitive
    hidesOutputs = step.hidesOutputs
    outputs = step.keepsOutputs ? Array(repeating: nil, count: items.count) : []
  }

  init(step: GroupStep, stream: any ItemStream) {
    self.step = step
    self.stream = stream
    allItems = nil
    isReadToEnd = false
    hidesOutputs = step.hidesOutputs
  }

  var results: FlowGroupResults { FlowGroupResults(outputs: outputs, failures: failures) }

  /// The name that the items were found under; `nil` if they come one after the other.
  var inputName: String? { allItems?.name }

  /// Whether any item has done its work, so that what its step declares should be written.
  var hasSucceededItems: Bool { (allItems?.count ?? pulledCount) > failures.count }

  func item(at index: Int) -> (any Sendable)? { allItems?[index] ?? pulled[index] }

  mutating func append(_ item: any Sendable) {
    pulled[pulledCount] = item
    pulledCount += 1
    if step.keepsOutputs { outputs.append(nil) }
  }

  /// The sequence has no more items.
  mutating func noteEnd() { isReadToEnd = true }

  /// What has become of the items so far.
  var itemFacts: ItemFacts {
    ItemFacts(
      total: isReadToEnd ? allItems?.count ?? pulledCount : nil, succeeded: succeededCount, failed: failedCount,
      cancelled: cancelledCount)
  }

  /// An item was cancelled because the run ends.
  mutating func countCancelled() { cancelledCount += 1 }

  /// Keeps an item's output, and returns the item if it is no longer needed, to be freed outside the lock.
  mutating func end(_ index: Int, output: (any Sendable)?) -> (any Sendable)? {
    succeededCount += 1
    if step.keepsOutputs { outputs[index] = output }
    return pulled.isEmpty ? nil : pulled.removeValue(forKey: index)
  }

  /// The same, for an item that has failed.
  mutating func end(_ index: Int, failure: FlowItemFailure) -> (any Sendable)? {
    failures.append(failure)
    if Settlement(failure.error).isCancelled { cancelledCount += 1 } else { failedCount += 1 }
    return pulled.isEmpty ? nil : pulled.removeValue(forKey: index)
  }
}

/// The groups that are running in a run, by step: as many as there are parallel branches.
struct GroupRuns: Sendable {
  private var steps: [Blueprint.StepID] = []
  private var runs: [GroupRun] = []

  /// The groups at work, with their steps.
  var all: Zip2Sequence<[Blueprint.StepID], [GroupRun]> { zip(steps, runs) }

  /// Changes a group in place; `nil` if it is not at work.
  @inline(__always)
  mutating func update<Result>(_ step: Blueprint.StepID, _ change: (inout GroupRun) -> Result) -> Result? {
    guard let index = steps.firstIndex(of: step) else { return nil }
    return change(&runs[index])
  }

  mutating func begin(_ group: GroupRun, _ step: Blueprint.StepID) {
    steps.append(step)
    runs.append(group)
  }

  mutating func end(_ step: Blueprint.StepID) -> GroupRun? {
    guard let index = steps.firstIndex(of: step) else { return nil }
    steps.remove(at: index)
    return runs.remove(at: index)
  }

  /// Removes and returns all groups, to be freed outside the lock.
  mutating func removeAll() -> [GroupRun] {
    defer { (steps, runs) = ([], []) }
    return runs
  }
}
