import OperationFlow
import OperationFlowStorage

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
  private var count: Int
  /// The names of all values that are there or were written, since someone took them.
  var names: Set<String>
  /// Who is at work, if it is one alone: that is the case in a chain of steps, which needs no table then.
  private var only: Writer?
  private var writesOfOnly: [String: Write] = [:]
  /// What is written by the others who are at work.
  private var open: [Writer: [String: Write]] = [:]
  /// What was written by anyone else: from outside the run, or by a step that has settled.
  private var loose: [String: Write] = [:]
  /// What those who are at work have changed although no one knows its value any longer, each the first.
  private var refused: [Writer: FlowError] = [:]

  /// The names whose values were written by an earlier process.
  private(set) var restoredNames: Set<String> = []

  init(count: Int = 0, names: Set<String> = []) { (self.count, self.names) = (count, names) }

  /// Forgets what was written, but no names; `count` is the number of the last write that the journal has.
  mutating func begin(after count: Int) {
    let restoredNames = restoredNames
    self = PendingWrites(count: count, names: names)
    self.restoredNames = restoredNames
  }

  /// Notes that the value of a name is one that an earlier process has written, or that it is no longer.
  mutating func noteRestored(_ name: String, _ isRestored: Bool) {
    if isRestored { restoredNames.insert(name) } else { restoredNames.remove(name) }
  }

  /// Notes that a step or an item is at work.
  mutating func begin(_ writer: Writer) {
    if only == writer { return }
    if only == nil, open.isEmpty {
      only = writer
    } else if open[writer] == nil {
      open[writer] = [:]
    }
  }

  mutating func note(_ value: (any Sendable)?, _ name: String, by source: FlowEvent.Source?) {
    count += 1
    names.insert(name)
    if !restoredNames.isEmpty { restoredNames.remove(name) }
    let write = Write(name: name, value: value, number: count)
    guard let writer = source.map(Writer.init) else { return loose[name] = write }
    if only == writer {
      writesOfOnly[name] = write
    } else if open[writer] != nil {
      open[writer]?[name] = write
    } else {
      loose[name] = write
    }
  }

  /// Notes that a step or an item can't change a value; false if no one who is at work does.
  mutating func refuse(_ error: FlowError, by source: FlowEvent.Source?) -> Bool {
    guard let writer = source.map(Writer.init), only == writer || open[writer] != nil else { return false }
    if refused[writer] == nil { refused[writer] = error }
    return true
  }

  /// Takes why a step or an item, which settles now, could not change a value.
  mutating func takeRefusal(of writer: Writer) -> FlowError? {
    refused.isEmpty ? nil : refused.removeValue(forKey: writer)
  }

  /// Takes what a step or an item has written, which settles now, and what was written by no one who is at work.
  mutating func take(of writer: Writer) -> (own: [Write], loose: [Write]) {
    guard only == writer else {
      let own = open.isEmpty ? nil : open.removeValue(forKey: writer)
      return (own.map { Array($0.values) } ?? [], takeLoose())
    }
    only = nil
    if writesOfOnly.isEmpty { return ([], takeLoose()) }
    defer { writesOfOnly = [:] }
    return (Array(writesOfOnly.values), takeLoose())
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
