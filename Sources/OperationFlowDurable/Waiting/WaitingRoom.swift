import Foundation
import OperationFlow
import OperationFlowStorage

/// Where the steps of a run wait, and where its signals come in.
///
/// A signal is taken, and a time is over, in one moment under the room's lock, so that a step ends in one way, and no
/// message is lost to a step that has just ended in another.
final class WaitingRoom: RunWaits {
  /// What a durable run keeps its waits in.
  struct Link: Sendable {
    let journal: RunJournal
    let mailbox: Mailbox
    /// When the run began, as its journal says.
    let begun: Date
    /// The names of the signals whose values are sensitive.
    let hiddenSignals: Set<String>
    weak var engine: RunEngine?
  }

  struct State: Sendable {
    var waiters = Waiters()
    var alarms: RunAlarms?
    var link: Link?
    /// How far the mailbox was read, and what becomes of the run while it can't be.
    var (place, trouble) = (JournalPlace.start, MailboxTrouble())
    /// True if a cancellation was read, after which the run doesn't rest: it may not have met its run yet.
    var hasCancellation = false
    /// The numbers of those whose time is over, unless what they wait for is in the mailbox.
    var overdue: [Int] = []
    /// What encrypts the mailbox.
    var sealers: [Task<Void, Never>] = []
    /// What is called when a step begins to wait.
    var whenWaiting: (@Sendable () -> Void)?
  }

  let state = Locked(State())

  // MARK: A durable run

  /// Connects it with what the run is kept in, before the run begins or is restored.
  func connect(_ link: Link) { state.withLock { $0.link = link } }

  /// Notes what the journal says about a step that waits.
  func restore(_ wait: JournalWait) { state.withLock { $0.waiters.restore(wait) } }

  /// Sets what is called whenever a step begins to wait.
  func onWait(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenWaiting = body } }

  /// When the first of the steps is due that wait; `nil` if they wait for signals alone.
  var firstDue: Date? { state.withLock { $0.waiters.firstDue } }

  /// Where the run rests, if this many steps wait here, and none has just been handed what it waits for; `nil` if the run was
  /// sent a cancellation.
  func rest(of count: Int) -> JournalRest? {
    state.withLock { state in
      guard state.waiters.count == count, !state.hasCancellation else { return nil }
      return JournalRest(due: state.waiters.firstDue, messageCount: state.place.count)
    }
  }

  /// Whether a step of a durable run waits for a signal, so that its mailbox has to be looked at.
  var isListening: Bool { state.withLock { $0.link != nil && $0.waiters.awaitsSignals } }

  // MARK: Signals

  /// Takes a message that was sent within the process.
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

  /// Ends a step with its message; one that can't be decrypted or decoded leaves the run, whose resume gives it again.
  private func give(_ message: SignalMessage, to operation: WaitOperation, _ link: Link?) {
    do { try operation.take(message, link?.journal.sealing) } catch {
      guard let link, message.isStored else { return operation.finishWithError(error: error) }
      leaveRun(link.mailbox.untakeable(message, error), link)
    }
  }

  // MARK: Waiting

  /// Lets a step wait, which has begun: it ends at once, or when its time is over, or its signal comes.
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
        link?.journal.take(.waits($0))
      }
      return (beginning, link)
    }
    link?.journal.flush()
    switch beginning {
    case .isOver: operation.timeIsOver()
    case .takes(let message): give(message, to: operation, link)
    case .waits(let number, let due):
      operation.note(due, in: self)
      // A date isn't as exact as the time that is written down, which is waited for unless a part of it is over.
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

  /// Forgets a step that waits no longer: it was cancelled.
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
    if !state.withLock({ $0.waiters.note(alarm, of: number) }) { alarms.remove(alarm) }
  }

  private func ring(_ numbers: [Int], _ engine: RunEngine) {
    let (signals, times) = state.withLock { state in
      let parted = state.link == nil ? (signals: [], times: numbers) : state.waiters.parted(numbers)
      state.overdue += parted.signals
      return parted
    }
    timesAreOver(times, engine)
    // What another process has sent before the end counts, so the mailbox is read first. A lane may wait for the disk.
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
  /// Gives messages to those that wait for them, and notes in the journal who has taken which.
  mutating func handOut() -> [(waiter: Waiters.Waiter, message: SignalMessage)] {
    waiters.handOut { link?.journal.take(.waits($0)) }
  }
}
