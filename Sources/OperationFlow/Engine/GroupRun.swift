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

  init(step: GroupStep, items: FlowGroupItems) {
    self.step = step
    allItems = items
    stream = nil
    outputs = step.keepsOutputs ? Array(repeating: nil, count: items.count) : []
  }

  init(step: GroupStep, stream: any ItemStream) {
    self.step = step
    self.stream = stream
    allItems = nil
  }

  var results: FlowGroupResults { FlowGroupResults(outputs: outputs, failures: failures) }

  /// Whether some item has done its work, so that what its step declares should be written.
  var hasSucceededItems: Bool { (allItems?.count ?? pulledCount) > failures.count }

  func item(at index: Int) -> (any Sendable)? { allItems?[index] ?? pulled[index] }

  mutating func append(_ item: any Sendable) {
    pulled[pulledCount] = item
    pulledCount += 1
    if step.keepsOutputs { outputs.append(nil) }
  }

  /// Keeps what an item left, and hands the item out if it is needed no longer, to be freed outside the lock.
  mutating func end(_ index: Int, output: (any Sendable)?) -> (any Sendable)? {
    if step.keepsOutputs { outputs[index] = output }
    return pulled.isEmpty ? nil : pulled.removeValue(forKey: index)
  }

  /// The same, for an item that has failed.
  mutating func end(_ index: Int, failure: FlowItemFailure) -> (any Sendable)? {
    failures.append(failure)
    return pulled.isEmpty ? nil : pulled.removeValue(forKey: index)
  }
}

/// The groups that a run is at, by step: as many as there are parallel branches.
struct GroupRuns: Sendable {
  private var steps: [Blueprint.StepID] = []
  private var runs: [GroupRun] = []

  /// Changes a group in its place; `nil` if it is not at work.
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

  /// Hands all groups out, to be freed outside the lock.
  mutating func removeAll() -> [GroupRun] {
    defer { (steps, runs) = ([], []) }
    return runs
  }
}
