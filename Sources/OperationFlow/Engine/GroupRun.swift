/// A group at work: its items, and the outputs that have come in.
struct GroupRun: Sendable {
  let step: Blueprint.GroupStep
  let items: FlowGroupItems
  var outputs: [(any Sendable)?]
  var failures: [FlowItemFailure] = []

  init(step: Blueprint.GroupStep, items: FlowGroupItems) {
    self.step = step
    self.items = items
    self.outputs = Array(repeating: nil, count: items.count)
  }
}
