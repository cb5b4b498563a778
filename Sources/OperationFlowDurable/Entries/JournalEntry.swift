import Foundation
import OperationFlow
import OperationFlowStorage

/// An entry of a durable run's journal; `Docs/Reference/JournalFormat.md` describes its bytes.
///
/// It is indirect, because an entry is passed on several times, and the largest kind has hundreds of bytes.
indirect enum JournalEntry: Sendable {
  /// The run begins: the first entry.
  case begun(JournalBeginning)
  /// A piece of work has settled.
  case settled(JournalSettlement)
  /// Pieces of work that succeeded, and left nothing but an optional output. A checkpoint writes them.
  case runs([JournalRun])
  /// The run's end was decided from outside its steps.
  case decided(JournalDecision)
  /// The run has ended: the last entry.
  case ended(JournalEnding)
  /// A step waits for something outside the run, or has accepted a signal.
  case waits(JournalWait)
  /// The run was suspended, because it does nothing but wait.
  case rests(JournalRest)
  /// An attempt begins.
  case begins(JournalBegin)
  /// The run was left to be resumed: no process ended in the attempts that had begun.
  case left

  /// The version of the format that this library writes; it reads all earlier ones.
  static let version = 5

  enum Kind: UInt8 { case begun = 1, settled, runs, decided, ended, waits, rests, begins, left }

  /// True if the entry must survive a power failure before other work starts.
  var mustBeSafe: Bool { if case .begins(let begin) = self { begin.mustBeSafe } else { true } }

  init(_ data: Data) throws(FlowError) {
    var totals: JournalTotals?
    try self.init(data, totals: &totals)
  }

  /// Reads an entry and the totals at its end.
  ///
  /// Entries of earlier versions have no totals.
  init(_ data: Data, totals: inout JournalTotals?) throws(FlowError) {
    var reader = JournalReader(data)
    switch Kind(rawValue: try reader.byte()) {
    case .begun: self = .begun(try JournalBeginning(&reader))
    case .settled: self = .settled(try JournalSettlement(&reader))
    case .runs: self = .runs(try reader.list { reader throws(FlowError) in try JournalRun(&reader) })
    case .decided: self = .decided(try JournalDecision(&reader))
    case .ended: self = .ended(try JournalEnding(&reader))
    case .waits: self = .waits(try JournalWait(&reader))
    case .rests: self = .rests(try JournalRest(&reader))
    case .begins: self = .begins(try JournalBegin(&reader))
    case .left: self = .left
    case nil: throw .unreadableEntry
    }
    if !reader.isAtEnd { totals = try JournalTotals(&reader) }
    guard reader.isAtEnd else { throw .unreadableEntry }
  }

  /// The entry's bytes.
  ///
  /// No lock may be held, because the texts of errors are made here.
  var data: Data { data(for: nil) }

  /// Returns the bytes, with errors and names as `journal` stores them, and with the totals up to the entry.
  func data(for journal: RunJournal?, _ totals: JournalTotals? = nil) -> Data {
    var writer = JournalWriter(for: journal)
    switch self {
    case .begun(let beginning):
      writer.byte(Kind.begun.rawValue)
      beginning.write(to: &writer)
    case .settled(let settlement):
      writer.byte(Kind.settled.rawValue)
      settlement.write(to: &writer)
    case .runs(let runs):
      writer.byte(Kind.runs.rawValue)
      writer.list(runs) { $1.write(to: &$0) }
    case .decided(let decision):
      writer.byte(Kind.decided.rawValue)
      decision.write(to: &writer)
    case .ended(let ending):
      writer.byte(Kind.ended.rawValue)
      ending.write(to: &writer)
    case .waits(let wait):
      writer.byte(Kind.waits.rawValue)
      wait.write(to: &writer)
    case .rests(let rest):
      writer.byte(Kind.rests.rawValue)
      rest.write(to: &writer)
    case .begins(let begin):
      writer.byte(Kind.begins.rawValue)
      begin.write(to: &writer)
    case .left: writer.byte(Kind.left.rawValue)
    }
    totals?.write(to: &writer)
    return writer.data
  }
}

/// The beginning of a run: the flow's shape and the data.
struct JournalBeginning: Sendable {
  /// The first part of the entry.
  private(set) var head: Head
  /// The shape of each step, in the order of the blueprint.
  var shape: [StepShape]
  var data: [StoredWrite]
  /// The names of the awaited signals with sensitive values: a sender may not find them elsewhere.
  var hiddenSignals: [String] = []

  init(
    flowName: String, date: Date, shape: [StepShape], data: [StoredWrite], hiddenSignals: [String] = [],
    version: Int = JournalEntry.version
  ) {
    head = Head(version: version, flowName: flowName, date: date)
    (self.shape, self.data) = (shape, data)
    self.hiddenSignals = hiddenSignals
  }

  init(_ reader: inout JournalReader) throws(FlowError) {
    head = try Head(&reader)
    shape = try reader.list { [version = head.version] reader throws(FlowError) in
      try StepShape(&reader, version: version)
    }
    data = try reader.list { reader throws(FlowError) in try StoredWrite(&reader) }
    if !reader.isAtEnd { hiddenSignals = try reader.list { reader throws(FlowError) in try reader.text() } }
    guard shape.allSatisfy({ $0.block.owner < shape.count }) else { throw .unreadableEntry }
  }

  /// The version of the entry's format.
  var version: Int { head.version }
  /// The name of the flow; empty if a journal has none.
  var flowName: String { head.flowName }
  var date: Date { head.date }

  /// The beginning of the run after a retry.
  ///
  /// It is a millisecond later, so that it differs from the beginning whose end was reported.
  var retried: JournalBeginning {
    var beginning = self
    // Rounded as in an entry, because dates of beginnings are compared.
    let milliseconds = date.timeIntervalSince1970 * 1000
    let later = Date(timeIntervalSince1970: (milliseconds.rounded() + 1) / 1000)
    beginning.head = Head(version: version, flowName: flowName, date: later)
    return beginning
  }

  /// The first part of a journal's first entry.
  struct Head: Sendable {
    let version: Int
    let flowName: String
    let date: Date

    init(version: Int, flowName: String, date: Date) {
      (self.version, self.flowName, self.date) = (version, flowName, date)
    }

    init(_ reader: inout JournalReader) throws(FlowError) {
      version = try reader.number()
      guard (1...JournalEntry.version).contains(version) else {
        throw FlowError(
          .unreadableJournal, "the run's journal has entries of version \(version)",
          remedy: "Resume it with a version of the library that knows them, at least the one that wrote it.")
      }
      (flowName, date) = (try reader.text(), try reader.date())
    }

    /// Reads the head from the first bytes of the first entry; returns `nil` if that isn't possible.
    init?(_ bytes: Data) {
      var reader = JournalReader(bytes)
      guard (try? reader.byte()) == JournalEntry.Kind.begun.rawValue, let head = try? Head(&reader) else { return nil }
      self = head
    }

    /// True if the entries after the first one end in totals.
    var isCounted: Bool { version >= 5 }
  }

  func write(to writer: inout JournalWriter) {
    // The shape is written as in version 4, which added what a step awaits.
    writer.number(max(4, version))
    writer.text(flowName)
    writer.date(date)
    writer.list(shape) { $1.write(to: &$0) }
    writer.list(data) { $1.write(to: &$0) }
    if !hiddenSignals.isEmpty { writer.list(hiddenSignals) { $0.text($1) } }
  }
}

/// A decision of a run's end from outside its steps: a cancellation, or the deadline.
struct JournalDecision: Sendable {
  var date: Date
  /// The error of the deadline; `nil` if the run was cancelled.
  var error: (any Error)?
  /// The number of what cancelled the run: 0 for a call, 1 for a task, 2 for the progress.
  var cause: UInt8
  /// The work that was under way.
  var claimed: [RunWork]

  init(date: Date, error: (any Error)?, cause: UInt8, claimed: [RunWork]) {
    (self.date, self.error, self.cause, self.claimed) = (date, error, cause, claimed)
  }

  init(_ reader: inout JournalReader) throws(FlowError) {
    date = try reader.date()
    error = try reader.optional { reader throws(FlowError) in try reader.error() }
    cause = try reader.byte()
    claimed = try reader.list { reader throws(FlowError) in try RunWork(&reader) }
  }

  func write(to writer: inout JournalWriter) {
    writer.date(date)
    writer.optional(error) { $0.error($1) }
    writer.byte(cause)
    writer.list(claimed) { $1.write(to: &$0) }
  }
}

extension Date {
  /// The date in whole milliseconds, which an entry stores unchanged.
  var inWholeMilliseconds: Date {
    Date(timeIntervalSince1970: (timeIntervalSince1970 * 1000).rounded(.down) / 1000)
  }
}

extension JournalWriter {
  /// Appends a date in whole milliseconds, which are enough for delays.
  mutating func date(_ date: Date) {
    // Rounding down would sometimes subtract one from a date in whole milliseconds.
    let time = (date.timeIntervalSince1970 * 1000).rounded()
    number(Int64(exactly: time) ?? (time < 0 ? .min : .max))
  }

  mutating func duration(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    number(seconds)
    number(attoseconds / 1_000_000_000)
  }

  /// Appends the name of work, without sensitive values in it.
  mutating func name(_ name: String) { text(journal?.stored(name) ?? name) }

  mutating func error(_ error: any Error) { write(journal?.stored(error) ?? error) }

  /// Appends an error: its text and type, or the parts of a `FlowError`.
  ///
  /// Before a hidden error is its encrypted original.
  private mutating func write(_ error: any Error) {
    if let hidden = error as? HiddenError {
      byte(2)
      block(hidden.sealed)
      return write(hidden.shown)
    }
    guard let error = error as? FlowError else {
      byte(0)
      if let stored = error as? FlowStoredError {
        text(stored.description)
        return text(stored.type)
      }
      text(ValueText.describe(error: error))
      return text(TypeName.of(type(of: error)))
    }
    byte(1)
    text(error.code.description)
    text(error.problem)
    text(error.remedy)
    optional(error.flow) { $0.text($1) }
    optional(error.step) { $0.text($1) }
    optional(error.key) { $0.text($1) }
    optional(error.attempt) { $0.number($1) }
  }
}

extension JournalReader {
  mutating func date() throws(FlowError) -> Date { Date(timeIntervalSince1970: Double(try longNumber()) / 1000) }

  mutating func duration() throws(FlowError) -> Duration {
    let (seconds, nanoseconds) = (try longNumber(), try longNumber())
    guard nanoseconds.magnitude < 1_000_000_000 else { throw .unreadableEntry }
    return .seconds(seconds) + .nanoseconds(nanoseconds)
  }

  mutating func error() throws(FlowError) -> any Error {
    switch try byte() {
    case 0:
      let description = try text()
      return FlowStoredError(description: description, type: try text())
    case 1: break
    case 2:
      let sealed = try block()
      return HiddenError(sealed: sealed, shown: try error())
    default: throw .unreadableEntry
    }
    let (code, problem, remedy) = (try text(), try text(), try text())
    let read = { (reader: inout JournalReader) throws(FlowError) -> String in try reader.text() }
    let (flow, step, key) = (try optional(read), try optional(read), try optional(read))
    let attempt = try optional { reader throws(FlowError) in try reader.number() }
    return FlowError(
      FlowError.Code(code), problem, remedy: remedy, flow: flow, step: step, attempt: attempt, key: key)
  }
}

extension JournalBeginning {
  /// Returns the values that the run began with, as far as the journal contains them.
  func values(_ sealing: FlowSealing?) -> [String: any Sendable] {
    var values: [String: any Sendable] = [:]
    for write in data {
      switch write.value {
      case .stored(let bytes): values[write.name] = bytes.value
      case .sealed(let bytes): values[write.name] = try? sealing?.opened(bytes).value
      case .removed, .isSensitive, .isNotStored: break
      }
    }
    return values
  }
}
