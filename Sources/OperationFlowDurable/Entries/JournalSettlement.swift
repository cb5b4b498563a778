import Foundation
import OperationFlow
import OperationFlowStorage

/// The bytes of a piece of work in an entry.
extension RunWork {
  /// The kinds in the order of their numbers, which are part of the format and begin with 1.
  private static let keptKinds: [Kind] = [
    .check, .step, .choose, .enter, .leave, .plan, .pull, .item, .recover, .expire, .undo, .deliver, .collect,
  ]

  init(_ reader: inout JournalReader) throws(FlowError) {
    let (number, step, item) = (Int(clamping: try reader.byte()), try reader.count(), try reader.count() - 1)
    guard Self.keptKinds.indices.contains(number - 1) else { throw .unreadableEntry }
    self.init(Self.keptKinds[number - 1], of: step, item: item < 0 ? nil : item)
  }

  func write(to writer: inout JournalWriter) {
    writer.byte(UInt8(clamping: (Self.keptKinds.firstIndex(of: kind) ?? Self.keptKinds.count) + 1))
    writer.number(step ?? 0)
    writer.number((item ?? -1) + 1)
  }
}

/// An entry for the end of a piece of work: its result, and the values that it left.
struct JournalSettlement: Sendable {
  /// The parts that only some entries have.
  struct Parts: Sendable {
    /// The name of the work in events; `nil` if it is the name in the flow.
    var name: String?
    var output: StoredOutput?
    var writes: [StoredWrite] = []
    /// True if the work had not begun.
    ///
    /// It is set only for a step whose undo also runs if the effect is uncertain.
    var isUnbegun = false
    /// The other work that was under way, if this decided that the run doesn't succeed, or ended the `always` steps.
    var claimed: [RunWork]?
  }

  var date: Date
  var work: RunWork
  var attempt: Int
  var result: KeptResult
  /// The parts behind a reference, because an entry is passed on several times.
  private var rare: Rare?

  private final class Rare: Sendable {
    let parts: Parts
    init(_ parts: Parts) { self.parts = parts }
  }

  var parts: Parts {
    get { rare?.parts ?? Parts() }
    set {
      let isEmpty =
        newValue.name == nil && newValue.output == nil && newValue.writes.isEmpty && newValue.claimed == nil
        && !newValue.isUnbegun
      rare = isEmpty ? nil : Rare(newValue)
    }
  }

  init(date: Date, work: RunWork, attempt: Int, result: KeptResult) {
    (self.date, self.work, self.attempt, self.result) = (date, work, attempt, result)
  }

  init(_ settlement: borrowing RunSettlement, _ parts: Parts, in blueprint: Blueprint) {
    (date, attempt) = (settlement.date, settlement.attempt)
    work = settlement.work
    result = KeptResult(settlement, in: blueprint)
    var parts = parts
    parts.claimed = settlement.claimed
    let undo = settlement.work.step.flatMap { blueprint.steps[$0].options?.undo }
    parts.isUnbegun = undo?.isForUncertain == true && !settlement.hasBegun
    self.parts = parts
  }

  init(_ reader: inout JournalReader) throws(FlowError) {
    date = try reader.date()
    work = try RunWork(&reader)
    attempt = try reader.number()
    switch try reader.byte() {
    case 0: result = .succeeded
    case 1:
      let error = try reader.error()
      result = .failed(error, retriedAfter: try reader.optional { reader throws(FlowError) in try reader.duration() })
    case 2: result = .cancelled
    case 3: result = .skipped
    case 4: result = .chosen(try reader.optional { reader throws(FlowError) in try reader.count() })
    case 5: result = .entered
    case 6:
      let count = try reader.optional { reader throws(FlowError) in try reader.count() }
      result = .planned(count, width: try reader.count())
    case 7: result = .pulledAll(try reader.count())
    default: throw .unreadableEntry
    }
    let flags = try reader.byte()
    if flags == 0 { return }
    var parts = Parts()
    if flags & 1 != 0 { parts.name = try reader.text() }
    if flags & 2 != 0 { parts.output = try StoredOutput(&reader) }
    if flags & 4 != 0 { parts.writes = try reader.list { reader throws(FlowError) in try StoredWrite(&reader) } }
    parts.isUnbegun = flags & 16 != 0
    if flags & 8 != 0 { parts.claimed = try reader.list { reader throws(FlowError) in try RunWork(&reader) } }
    self.parts = parts
  }

  func write(to writer: inout JournalWriter) {
    writer.date(date)
    work.write(to: &writer)
    writer.number(attempt)
    switch result {
    case .succeeded: writer.byte(0)
    case .failed(let error, let delay):
      writer.byte(1)
      writer.error(error)
      writer.optional(delay) { $0.duration($1) }
    case .cancelled: writer.byte(2)
    case .skipped: writer.byte(3)
    case .chosen(let block):
      writer.byte(4)
      writer.optional(block) { $0.number($1) }
    case .entered: writer.byte(5)
    case .planned(let count, let width):
      writer.byte(6)
      writer.optional(count) { $0.number($1) }
      writer.number(width)
    case .pulledAll(let count):
      writer.byte(7)
      writer.number(count)
    }
    guard let parts = rare?.parts else { return writer.byte(0) }
    let (name, output, writes, claimed) = (parts.name, parts.output, parts.writes, parts.claimed)
    writer.byte(
      (name == nil ? 0 : 1) | (output == nil ? 0 : 2) | (writes.isEmpty ? 0 : 4) | (claimed == nil ? 0 : 8)
        | (parts.isUnbegun ? 16 : 0))
    if let name { writer.name(name) }
    output?.write(to: &writer)
    if !writes.isEmpty { writer.list(writes) { $1.write(to: &$0) } }
    if let claimed { writer.list(claimed) { $1.write(to: &$0) } }
  }
}

/// The output of an item, encrypted if it is sensitive.
struct StoredOutput: Sendable {
  let bytes: StoredBytes
  let isSealed: Bool

  init(_ bytes: StoredBytes, isSealed: Bool = false) { (self.bytes, self.isSealed) = (bytes, isSealed) }

  init(_ reader: inout JournalReader) throws(FlowError) {
    isSealed = try reader.byte() == 1
    bytes = try StoredBytes(&reader)
  }

  func write(to writer: inout JournalWriter) {
    writer.byte(isSealed ? 1 : 0)
    bytes.write(to: &writer)
  }

  func value(
    _ sealing: FlowSealing?, for type: Any.Type,
    whenUndecodable: @escaping @Sendable (StoredJSON, Any.Type) -> Void
  ) throws -> any Sendable {
    guard isSealed else { return bytes.value(for: type, whenUndecodable: whenUndecodable) }
    guard let sealing else { throw FlowError.sealingIsMissing }
    return try sealing.opened(bytes.json, of: "output").value(for: type, whenUndecodable: whenUndecodable)
  }
}

extension FlowError {
  static let sealingIsMissing = FlowError(
    .missingData, "the run's journal has encrypted values",
    remedy: "Give run(id:in:sealing:) the FlowSealing that the run began with.")
}

/// A range of work that succeeded at the first attempt: consecutive steps, or consecutive items of a group.
struct JournalRun: Sendable {
  /// The first one: a step or an item.
  let first: RunWork
  var count: Int
  /// The output of each item; `nil` if they have none.
  var outputs: [StoredOutput]?

  init(first: RunWork, count: Int, outputs: [StoredOutput]?) {
    (self.first, self.count, self.outputs) = (first, count, outputs)
  }

  /// The limit of numbers of steps and items: no flow has more, and two such numbers can be added.
  static let limit = Int(Int32.max)

  /// Returns true if a range can begin with a piece of work and have that count.
  static func isValid(_ first: RunWork, _ count: Int) -> Bool {
    guard first.isAttempt, let step = first.step, (1...limit).contains(count) else { return false }
    guard first.kind == .item else { return (0...limit - count).contains(step) }
    return (0...limit).contains(step) && first.item.map((0...limit - count).contains) == true
  }

  init(_ reader: inout JournalReader) throws(FlowError) {
    first = try RunWork(&reader)
    count = try reader.count()
    guard Self.isValid(first, count) else { throw .unreadableEntry }
    outputs = try reader.optional { reader throws(FlowError) in
      try reader.list { reader throws(FlowError) in try StoredOutput(&reader) }
    }
    if let outputs, outputs.count != count { throw .unreadableEntry }
  }

  func write(to writer: inout JournalWriter) {
    first.write(to: &writer)
    writer.number(count)
    writer.optional(outputs) { $0.list($1) { $1.write(to: &$0) } }
  }

  /// Returns the piece of work at an index of the range.
  func work(at place: Int) -> RunWork {
    let step = first.step ?? 0
    return first.item.map { RunWork(.item, of: step, item: $0 + place) } ?? RunWork(.step, of: step + place)
  }
}
