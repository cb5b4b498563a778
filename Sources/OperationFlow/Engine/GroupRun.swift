/// A group at work: its items, and the outputs that have come in.
struct GroupRun: Sendable {
  let step: GroupStep
  /// The items, where all of them were there from the start.
  let allItems: FlowGroupItems?
  /// Where the items come from, where they come one after the other.
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

  func item(at index: Int) -> (any Sendable)? { allItems?[index] ?? pulled[index] }

  mutating func append(_ item: any Sendable) {
    pulled[pulledCount] = item
    pulledCount += 1
    if step.keepsOutputs { outputs.append(nil) }
  }

  /// Keeps what an item left, and hands the item out where it is needed no longer, to be freed outside the lock.
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
