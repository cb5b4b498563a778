/// What was written to a bucket and isn't in the run's journal yet.
///
/// The last value of each name is kept for each step or item that writes, until that settles.
struct PendingWrites: Sendable {
  /// A step or an item that writes.
  struct Writer: Sendable, Hashable {
    let step: Int32
    let item: Int

    init(_ source: FlowEvent.Source) {
      step = source.step
      item = source.item ?? -1
    }

    init(step: Int, item: Int?) {
      self.step = Int32(clamping: step)
      self.item = item ?? -1
    }
  }

  struct Write: Sendable {
    let name: String
    /// The value; `nil` if the name was removed.
    let value: (any Sendable)?
    /// The number of the write among all writes of the run.
    let number: Int
  }

  /// The number of the last write.
  var count = 0
  /// What is written by those who are at work.
  private var open: [Writer: [String: Write]] = [:]
  /// What was written by anyone else: from outside the run, or by a step that has settled.
  private var loose: [String: Write] = [:]

  /// Notes that a step or an item is at work.
  mutating func begin(_ writer: Writer) {
    if open[writer] == nil { open[writer] = [:] }
  }

  mutating func note(_ value: (any Sendable)?, _ name: String, by source: FlowEvent.Source?) {
    count += 1
    let write = Write(name: name, value: value, number: count)
    if let source, open[Writer(source)] != nil {
      open[Writer(source)]?[name] = write
      return
    }
    loose[name] = write
  }

  /// Takes what a step or an item has written, which settles now, and what was written by no one who is at work.
  mutating func take(of writer: Writer) -> (own: [Write], loose: [Write]) {
    let own = open.removeValue(forKey: writer).map { Array($0.values) } ?? []
    return (own, takeLoose())
  }

  /// Takes what was written by no one who is at work.
  mutating func takeLoose() -> [Write] {
    if loose.isEmpty { return [] }
    defer { loose = [:] }
    return Array(loose.values)
  }

  /// Puts back what was taken for a settlement that did not count.
  mutating func putBack(_ writes: [Write]) {
    for write in writes where (loose[write.name]?.number ?? 0) < write.number { loose[write.name] = write }
  }
}
