import Foundation
import OperationFlow
import OperationFlowStorage

/// Stores a run in its journal: encodes the results of work, and makes an entry of each decision.
final class JournalKeeper: RunKeeper {
  let journal: RunJournal
  let writes: JournalWrites
  /// The room in which steps wait and cancellations arrive; `nil` before the run is connected.
  private let waitingRoom = Locked<WaitingRoom?>(nil)
  private let bucket: DataBucket
  /// The names of the values that the journal doesn't store.
  private let omittedNames: Set<String>
  private let blueprint: Blueprint

  init(_ journal: RunJournal, of bucket: DataBucket, omitting names: Set<String>, in blueprint: Blueprint) {
    (self.journal, self.bucket, omittedNames, self.blueprint) = (journal, bucket, names, blueprint)
    writes = JournalWrites(names: Set(bucket.values.keys), of: journal)
    bucket.keepWrites(in: writes)
  }

  var id: String { journal.id }
  var holdsWorkBack: Bool { journal.durability.way == .everySettlement }

  var mayHoldBack: Bool { holdsWorkBack || journal.isOver }
  func holdsBack(_ resume: @escaping @Sendable () -> Void) -> Bool { journal.holdsBack(resume) }

  func isWriting(thenCall resume: @escaping @Sendable () -> Void) -> Bool { journal.isWriting(thenCall: resume) }

  func willBegin(_ work: RunWork, attempt: Int, at date: Date) {
    // A step that waits may be resumed any number of times, so its beginnings aren't counted.
    if let step = work.step, blueprint.steps[step].wait != nil { return }
    var begin = JournalBegin(date: date, work: work, attempt: attempt)
    begin.mustBeSafe = work.step.map { blueprint.steps[$0].options?.undo?.isForUncertain == true } ?? false
    journal.accept(.begins(begin))
    journal.flush()
  }

  func willPerform(step: Int, item: Int?) { writes.begin(PendingWrites.Writer(step: step, item: item)) }

  // MARK: Waiting

  var room: WaitingRoom? { waitingRoom.withLock { $0 } }

  /// Connects the run's waiting steps with its journal and its mailbox, before the run begins or is restored.
  func connect(_ engine: RunEngine, to mailbox: Mailbox, begun: Date) {
    let room = engine.waits as? WaitingRoom ?? WaitingRoom()
    waitingRoom.withLock { $0 = room }
    room.connect(
      WaitingRoom.Link(
        journal: journal, mailbox: mailbox, begun: begun, hiddenSignals: hiddenSignals, engine: engine))
  }

  /// Starts to watch the mailbox, not before the run is restored: an earlier cancellation would end it without undos.
  func enterRoom() { if let room { MailboxWatch.shared.add(room, of: id) } }

  /// True if the run has steps that wait.
  var hasWaits: Bool { blueprint.steps.contains { $0.wait != nil } }

  /// Stops watching the mailbox, whatever the run's outcome is.
  func leaveRoom() { if let room { MailboxWatch.shared.remove(room, of: id) } }

  /// The names of the awaited signals with sensitive values.
  var hiddenSignals: Set<String> {
    let features = blueprint.steps.lazy.flatMap { $0.options?.features ?? [] }
    let awaited = features.compactMap { ($0 as? StepWait)?.signal }
    return Set(awaited.filter { [bucket] in $0.isSensitive || bucket.isHidden($0.name) }.map(\.name))
  }

  /// Stops watching the mailbox; if the run is over, removes its signals, and reports those that no step accepted.
  private func closeRoom(_ warn: @escaping @Sendable (String) -> Void, _ done: @escaping @Sendable () -> Void) {
    leaveRoom()
    guard let room, hasWaits || room.hasRead, !journal.isSuspended else { return done() }
    Task {
      await room.emptyMailbox()
      if let warning = room.warningAtEnd { warn(warning) }
      done()
    }
  }

  // MARK: Encoding

  func encode(
    _ settlement: inout Settlement, _ output: (any Sendable)?, of source: FlowEvent.Source, in engine: RunEngine
  ) -> any KeptParts {
    let step = source.step < 0 ? nil : Int(source.step)
    var problem: FlowError?
    let (stored, taken) = take(of: PendingWrites.Writer(source)) { if problem == nil { problem = $0 } }
    var kept: StoredOutput?
    if settlement.isSuccess, source.item != nil, let output, !(output is Void), let step,
      blueprint.keepsItemOutputs(of: step)
    {
      do {
        kept = try encode(output, of: step, isHidden: hidesOutputs(of: step, in: engine))
      } catch let error as FlowError {
        problem = problem ?? error
      } catch {
        problem = problem ?? .valueNotEncodable("the output", type(of: output), error)
      }
    }
    if settlement.isSuccess, let problem {
      settlement = .failed(problem)
      kept = nil
    }
    // A group's own work has the same name as its items.
    let isNamed = step.map { source.name == blueprint.name(of: RunWork(.item, of: $0, item: 0)) } ?? false
    if isNamed, kept == nil, taken.isEmpty { return JournalParts.none }
    return JournalParts(
      JournalSettlement.Parts(name: isNamed ? nil : source.name, output: kept, writes: stored), taken: taken)
  }

  /// Returns true if the outputs of a group's items are sensitive.
  private func hidesOutputs(of step: Int, in engine: RunEngine) -> Bool {
    if engine.withGroup(step, { $0.hidesOutputs }) == true { return true }
    guard case .group(let group) = blueprint.steps[step].kind else { return false }
    if group.hidesOutputs || group.output.map({ bucket.isHidden($0.name) }) ?? false { return true }
    guard let kept = blueprint.steps[step].options?.results?.kept else { return false }
    return kept.port.isSensitive || bucket.isHidden(kept.port.name)
  }

  func encodeWrites(step: Int?, item: Int?) -> any KeptParts {
    guard let step else { return JournalParts.none }
    let (stored, taken) = take(of: PendingWrites.Writer(step: step, item: item)) { _ in }
    return taken.isEmpty ? JournalParts.none : JournalParts(JournalSettlement.Parts(writes: stored), taken: taken)
  }

  /// Removes and encodes the writes that some work has made to the bucket.
  private func take(
    of writer: PendingWrites.Writer, _ problem: (FlowError) -> Void
  ) -> (stored: [StoredWrite], taken: [PendingWrites.Write]) {
    let (own, loose, refusal) = writes.take(of: writer)
    if let refusal { problem(refusal) }
    if own.isEmpty, loose.isEmpty { return ([], []) }
    return (own.map { encode($0, problem) } + loose.map { encode($0) { _ in } }, own + loose)
  }

  private func encode(_ write: PendingWrites.Write, _ problem: (FlowError) -> Void) -> StoredWrite {
    StoredWrite(
      name: write.name, number: write.number, value: encode(write.value, named: write.name, problem))
  }

  private func encode(_ output: any Sendable, of step: Int, isHidden: Bool) throws -> StoredOutput {
    guard let bytes = try StoredBytes(output) else {
      throw FlowError.valueNotStorable("the output of an item", type(of: output))
    }
    guard isHidden else { return StoredOutput(bytes) }
    journal.secrets.withLock { $0.insert(value: output) }
    guard let sealing = journal.sealing else { throw FlowError.sensitiveOutput(blueprint.steps[step].name) }
    return StoredOutput(StoredBytes(kind: 0, json: try sealing.sealed(bytes)), isSealed: true)
  }

  func problem(keeping value: (any Sendable)?, named name: String) -> FlowError? {
    var problem: FlowError?
    _ = encode(value, named: name) { problem = $0 }
    return problem
  }

  /// Returns a value as the journal stores it; calls `problem` if that isn't possible.
  func encode(
    _ value: (any Sendable)?, named name: String, _ problem: (FlowError) -> Void = { _ in }
  ) -> StoredWrite.Value {
    guard let value else { return .removed }
    let isSensitive = bucket.isHidden(name)
    if isSensitive { journal.secrets.withLock { $0.insert(value: value) } }
    // A sensitive value that isn't stored is marked, so that it is sensitive when it is passed again.
    let absent = isSensitive ? StoredWrite.Value.isSensitive : .isNotStored
    if omittedNames.contains(name) || (isSensitive && journal.sealing == nil) { return absent }
    do {
      guard let bytes = try StoredBytes(value) else {
        problem(.valueNotStorable("<\(ValueText.name(name))>", type(of: value), key: name))
        return absent
      }
      return isSensitive ? try journal.sealing.map { .sealed(try $0.sealed(bytes)) } ?? .isSensitive : .stored(bytes)
    } catch {
      problem(.valueNotEncodable("<\(ValueText.name(name))>", type(of: value), error, key: name))
      return absent
    }
  }

  /// Returns values as the journal stores them, in the order of their names; the run needs the others at each resume.
  func encode(_ values: [String: any Sendable]) -> [StoredWrite] {
    values.sorted { $0.key < $1.key }.map {
      StoredWrite(name: $0.key, number: 0, value: encode($0.value, named: $0.key))
    }
  }

  // MARK: Entries

  func store(_ settlement: RunSettlement, _ parts: any KeptParts) {
    let kept = (parts as? JournalParts)?.kept ?? JournalSettlement.Parts()
    journal.accept(.settled(JournalSettlement(settlement, kept, in: blueprint)))
  }

  func withdraw(_ parts: any KeptParts) {
    if let parts = parts as? JournalParts { writes.withdraw(parts.taken) }
  }

  func storeDecision(
    _ error: (any Error)?, _ cause: FlowReport.Cancellation, at date: Date, claimed: [RunWork]
  ) {
    journal.accept(.decided(JournalDecision(date: date, error: error, cause: cause.number, claimed: claimed)))
  }

  func flush() { journal.flush() }

  func end(
    _ outcome: FlowOutcome, at date: Date, warn: @escaping @Sendable (String) -> Void,
    done: @escaping @Sendable (FlowError?) -> Void
  ) {
    journal.end(JournalEnding(outcome, data: encode(outcome.report.data), date: date)) { failure in
      guard let failure else { return self.closeRoom(warn) { done(nil) } }
      self.leaveRoom()
      if let failure = self.journal.endingFailure { return done(.storeError(failure)) }
      if !failure.isKnown {
        warn("ends without its journal, which can't be written: \(ValueText.describe(error: failure.error))")
      }
      done(nil)
    }
  }
}

extension Blueprint {
  /// Returns true if anything needs the outputs of a group's items later.
  fileprivate func keepsItemOutputs(of step: Int) -> Bool {
    guard case .group(let group) = steps[step].kind else { return false }
    let options = steps[step].options
    return group.keepsOutputs || options?.undo != nil || options?.results != nil
  }
}

/// The parts of a settlement that the journal stores besides the result.
private final class JournalParts: Sendable {
  let kept: JournalSettlement.Parts
  /// The writes as they were collected.
  ///
  /// They are collected again if the settlement doesn't count.
  let taken: [PendingWrites.Write]

  /// The empty parts of most work.
  static let none = JournalParts(JournalSettlement.Parts(), taken: [])

  init(_ kept: JournalSettlement.Parts, taken: [PendingWrites.Write]) { (self.kept, self.taken) = (kept, taken) }
}

extension FlowError {
  package static func valueNotStorable(_ what: String, _ type: Any.Type, key: String? = nil) -> FlowError {
    let isKey = key != nil
    return FlowError(
      .valueNotStorable, "\(what) is a \(TypeName.of(type)), which isn't Codable, so the run's journal can't store it",
      remedy: "Make \(TypeName.of(type)) Codable"
        + (isKey ? ", or leave the value out with omitting: [\"\(ValueText.name(key ?? ""))\"] in run(id:in:)." : "."),
      key: key)
  }

  static func valueNotEncodable(_ what: String, _ type: Any.Type, _ error: any Error, key: String? = nil) -> FlowError {
    FlowError(
      .valueNotStorable, "\(what) of type \(TypeName.of(type)) can't be encoded for the run's journal, nor sealed",
      remedy:
        "See to it that encode(to:), and the closure of FlowSealing, don't throw: \(TypeName.of(Swift.type(of: error))).",
      key: key)
  }

  static func sensitiveOutput(_ step: String) -> FlowError {
    FlowError(
      .valueNotStorable, "the outputs of the items of \(step) are sensitive, so the run's journal can't store them",
      remedy: "Give run(id:in:sealing:) a FlowSealing, or let the items write nothing that is sensitive.", step: step)
  }

  static func storeFailure(_ error: any Error) -> FlowError {
    FlowError(
      .storeFailed, "the store can't be used: \(ValueText.describe(error: error))",
      remedy: "See to it that the store works, and repeat the call: a run under the same id resumes there.")
  }
}
