import Foundation
import OperationFlow
import OperationFlowStorage

/// The place in a run where steps wait, and where signals arrive.
///
/// A signal is accepted, or a time is over, in one moment under the room's lock. So a step ends in one way, and no
/// message is lost to a step that has just ended in another way.
final class WaitingRoom: RunWaits {
  /// The journal and the mailbox of a durable run.
  struct Link: Sendable {
    let journal: RunJournal
    let mailbox: Mailbox
    /// The date at which the run began, from its journal.
    let begun: Date
    /// The names of the signals whose values are sensitive.
    let hiddenSignals: Set<String>
    weak var engine: RunEngine?
  }

  struct State: Sendable {
    var waiters = Waiters()
    var alarms: RunAlarms?
    var link: Link?
    /// The place up to which the mailbox was read, and the failures to read it.
    var (place, trouble) = (JournalPlace.start, MailboxTrouble())
    /// True if a cancellation was read, which may not have reached the run yet: such a run isn't suspended.
    var hasCancellation = false
    /// The numbers of the steps whose time is over, unless their signals are in the mailbox.
    var overdue: [Int] = []
    /// The tasks that encrypt the mailbox.
    var sealers: [Task<Void, Never>] = []
    /// A function that is called when a step begins to wait.
    var whenWaiting: (@Sendable () -> Void)?
  }

  let state = Locked(State())

  // MARK: A durable run

  /// Connects the room with the run's journal and mailbox, before the run begins or is restored.
  func connect(_ link: Link) { state.withLock { $0.link = link } }

  /// Restores an entry of the journal about a step that waits.
  func restore(_ wait: JournalWait) { state.withLock { $0.waiters.restore(wait) } }

  /// Sets a function that is called whenever a step begins to wait.
  func onWait(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenWaiting = body } }

  /// The date at which the first of the waiting steps is due; `nil` if all of them wait for signals alone.
  var firstDue: Date? { state.withLock { $0.waiters.firstDue } }

  /// Returns the entry with which the run can be suspended, if `count` steps wait here.
  ///
  /// It is `nil` if fewer steps wait, because one has just got its signal, or if the run was sent a cancellation.
  func rest(of count: Int) -> JournalRest? {
    state.withLock { state in
      guard state.waiters.count == count, !state.hasCancellation else { return nil }
      return JournalRest(due: state.waiters.firstDue, messageCount: state.place.count)
    }
  }

  /// True if a step of a durable run waits for a signal, so that its mailbox has to be looked at.
  var isListening: Bool { state.withLock { $0.link != nil && $0.waiters.awaitsSignals } }

  // MARK: Signals

  /// Adds a message that was sent within the process.
  func receive(_ message: SignalMessage) {
    let handed = state.withLock { state in
      state.waiters.add(message)
      return state.handOut()
    }
    hand(handed)
  }

  func hand(_ handed: [(waiter: Waiters.Waiter, message: SignalMessage)]) {
    if handed.isEmpty { return }
    let link = state.withLock { $0.link }
    link?.journal.flush()
    for (waiter, message) in handed { end(waiter) { give(message, to: $0, link) } }
  }

  /// Ends a step with its message; leaves a durable run to be resumed if the message can't be decrypted or decoded.
  private func give(_ message: SignalMessage, to operation: WaitOperation, _ link: Link?) {
    do { try operation.accept(message, link?.journal.sealing) } catch {
      guard let link, message.isStored else { return operation.finishWithError(error: error) }
      leaveRun(link.mailbox.untakeable(message, error), link)
    }
  }

  // MARK: Waiting

  /// Lets a step wait that has begun: it ends at once, when its time is over, or when its signal arrives.
  func begin(_ operation: WaitOperation, of source: FlowEvent.Source, in engine: RunEngine) {
    let now = engine.now
    let ownDue: Date?
    do { ownDue = try operation.due(after: now) } catch { return operation.finishWithError(error: error) }
    let alarms = alarms(of: engine)
    let (beginning, link) = state.withLock { state -> (Waiters.Beginning, Link?) in
      let link = state.link
      let (step, attempt) = (Int(source.step), source.attempt)
      let beginning = state.waiters.begin(
        operation, step: step, attempt: attempt, due: ownDue, now: now, hasMailbox: link != nil
      ) {
        link?.journal.accept(.waits($0))
      }
      return (beginning, link)
    }
    link?.journal.flush()
    switch beginning {
    case .isOver: operation.timeIsOver()
    case .takes(let message): give(message, to: operation, link)
    case .waits(let number, let due):
      operation.markWaiting(until: due, in: self)
      // The time is more exact than the stored date, but can't be used if a part of it passed before a resume.
      let time = due == ownDue ? operation.wait.time : nil
      if let due {
        let seconds = due.timeIntervalSince(now)
        let rest = operation.isDated ? engine.dates.rest(until: seconds) : time ?? .clamping(seconds: seconds)
        setAlarm(number, after: rest, alarms)
      }
      if operation.isCancelled { leave(operation) }
      state.withLock { $0.whenWaiting }?()
    }
  }

  /// Removes a step that doesn't wait any longer, because it was cancelled.
  func leave(_ operation: WaitOperation) {
    guard let waiter = state.withLock({ $0.waiters.remove(operation) }) else { return }
    end(waiter) { _ in }
  }

  private func end(_ waiter: Waiters.Waiter, _ body: (WaitOperation) -> Void) {
    if let alarm = waiter.alarm { state.withLock { $0.alarms }?.remove(alarm) }
    body(waiter.operation)
  }

  // MARK: Alarms

  private func alarms(of engine: RunEngine) -> RunAlarms {
    if let known = state.withLock({ $0.alarms }) { return known }
    let made = RunAlarms(engine) { [weak self, weak engine] numbers in
      if let engine { self?.ring(numbers, engine) }
    }
    return state.withLock { state in
      let kept = state.alarms ?? made
      state.alarms = kept
      return kept
    }
  }

  private func setAlarm(_ number: Int, after time: Duration, _ alarms: RunAlarms) {
    let alarm = alarms.set(number, after: time)
    if !state.withLock({ $0.waiters.store(alarm, of: number) }) { alarms.remove(alarm) }
  }

  private func ring(_ numbers: [Int], _ engine: RunEngine) {
    let (signals, times) = state.withLock { state in
      let parted = state.link == nil ? (signals: [], times: numbers) : state.waiters.parted(numbers)
      state.overdue += parted.signals
      return parted
    }
    timesAreOver(times, engine)
    // Messages that other processes sent in time count, so the mailbox is read first. A lane may wait for the disk.
    if !signals.isEmpty { engine.addLane { [self] in readMailbox() } }
  }

  func timesAreOver(_ numbers: [Int], _ engine: RunEngine) {
    let now = engine.now
    for number in numbers {
      let (over, early) = state.withLock { $0.waiters.ring(number, at: now) }
      over?.operation.timeIsOver()
      if let early { setAlarm(number, after: engine.dates.rest(until: early), alarms(of: engine)) }
    }
  }
}

extension WaitingRoom.State {
  /// Delivers messages to the steps that wait for them, and records in the journal which step accepted which message.
  mutating func handOut() -> [(waiter: Waiters.Waiter, message: SignalMessage)] {
    waiters.handOut { link?.journal.accept(.waits($0)) }
  }
}
