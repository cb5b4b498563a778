/// A group at work: its items, and the outputs that have come in.
struct GroupRun: Sendable {
  enum Items: Sendable {
    case all(FlowGroupItems)
    /// The items that were pulled and have not ended, by index.
    case stream(any ItemStream, pulled: [Int: any Sendable], count: Int)
  }

  let step: GroupStep
  private(set) var items: Items
  private(set) var outputs: [(any Sendable)?]
  private(set) var failures: [FlowItemFailure] = []

  init(step: GroupStep, items: FlowGroupItems) {
    self.step = step
    self.items = .all(items)
    self.outputs = step.keepsOutputs ? Array(repeating: nil, count: items.count) : []
  }

  init(step: GroupStep, stream: any ItemStream) {
    self.step = step
    self.items = .stream(stream, pulled: [:], count: 0)
    self.outputs = []
  }

  var stream: (any ItemStream)? {
    if case .stream(let stream, _, _) = items { stream } else { nil }
  }

  var results: FlowGroupResults { FlowGroupResults(outputs: outputs, failures: failures) }

  func item(at index: Int) -> (any Sendable)? {
    switch items {
    case .all(let items): items[index]
    case .stream(_, let pulled, _): pulled[index]
    }
  }

  var isSensitive: Bool {
    if case .all(let items) = items { items.isSensitive } else { false }
  }

  mutating func append(_ item: any Sendable) {
    guard case .stream(let stream, var pulled, let count) = items else { return }
    items = .stream(stream, pulled: [:], count: count)
    pulled[count] = item
    items = .stream(stream, pulled: pulled, count: count + 1)
    if step.keepsOutputs { outputs.append(nil) }
  }

  /// Keeps what an item left, and hands the item out where it is needed no longer, to be freed outside the lock.
  mutating func end(_ index: Int, output: (any Sendable)?, failure: FlowItemFailure?) -> (any Sendable)? {
    if let failure { failures.append(failure) } else if step.keepsOutputs { outputs[index] = output }
    guard case .stream(let stream, var pulled, let count) = items else { return nil }
    items = .stream(stream, pulled: [:], count: count)
    let item = pulled.removeValue(forKey: index)
    items = .stream(stream, pulled: pulled, count: count)
    return item
  }
}
