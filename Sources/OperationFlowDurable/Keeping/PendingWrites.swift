import OperationFlow
import OperationFlowStorage

/// The writes to a bucket that aren't in the run's journal yet.
///
/// Each step or item has its own last write to each name, until the step or item settles.
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
  /// The names that the bucket had, or that were written, since the names were removed last.
  var names: Set<String>
  /// The first step or item that runs: it isn't in `open`, so that a chain of steps needs no table.
  private var only: Writer?
  private var writesOfOnly: [String: Write] = [:]
  /// The writes of the other running steps and items.
  private var open: [Writer: [String: Write]] = [:]
  /// The writes of anyone else: from outside the run, or by a step that has settled.
  private var loose: [String: Write] = [:]
  /// The first error of each running step or item that could not change a value, because it isn't available any longer.
  private var refused: [Writer: FlowError] = [:]

  /// The names with values that an earlier process wrote.
  private(set) var restoredNames: Set<String> = []

  init(count: Int = 0, names: Set<String> = []) { (self.count, self.names) = (count, names) }

  /// Drops the writes, but not the names; `count` is the number of the last write in the journal.
  mutating func begin(after count: Int) {
    let restoredNames = restoredNames
    self = PendingWrites(count: count, names: names)
    self.restoredNames = restoredNames
  }

  /// Records whether an earlier process wrote the value of a name.
  mutating func setRestored(_ name: String, _ isRestored: Bool) {
    if isRestored { restoredNames.insert(name) } else { restoredNames.remove(name) }
  }

  /// Records that a step or an item is running.
  mutating func begin(_ writer: Writer) {
    if only == writer { return }
    if only == nil, open.isEmpty {
      only = writer
    } else if open[writer] == nil {
      open[writer] = [:]
    }
  }

  mutating func add(_ value: (any Sendable)?, _ name: String, by source: FlowEvent.Source?) {
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

  /// Records that a step or an item can't change a value; returns false if it isn't running.
  mutating func refuse(_ error: FlowError, by source: FlowEvent.Source?) -> Bool {
    guard let writer = source.map(Writer.init), only == writer || open[writer] != nil else { return false }
    if refused[writer] == nil { refused[writer] = error }
    return true
  }

  /// Removes and returns the reason why a step or an item that settles could not change a value.
  mutating func takeRefusal(of writer: Writer) -> FlowError? {
    refused.isEmpty ? nil : refused.removeValue(forKey: writer)
  }

  /// Removes and returns the writes of a step or an item that settles, and those that belong to no running one.
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

  /// Removes and returns the writes that belong to no running step or item.
  mutating func takeLoose() -> [Write] {
    if loose.isEmpty { return [] }
    defer { loose = [:] }
    return Array(loose.values)
  }

  /// Adds writes again that were removed for a settlement that doesn't count.
  mutating func putBack(_ writes: [Write]) {
    for write in writes where (loose[write.name]?.number ?? 0) < write.number { loose[write.name] = write }
  }
}
