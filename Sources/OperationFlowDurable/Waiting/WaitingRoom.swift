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
  }

  fileprivate struct State: Sendable {
    var waiters = Waiters()
    var alarms: RunAlarms?
    var link: Link?
    /// What is called when a step begins to wait.
    var whenWaiting: (@Sendable () -> Void)?
  }

  private let state = Locked(State())

  // MARK: A durable run

  /// Connects it with what the run is kept in, before the run begins or is restored.
  func connect(_ link: Link) { state.withLock { $0.link = link } }

  /// Notes what the journal says about a step that waits.
  func restore(_ wait: JournalWait) { state.withLock { $0.waiters.restore(wait) } }

  /// Sets what is called whenever a step begins to wait.
  func onWait(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenWaiting = body } }

  /// How many messages its mailbox had when it was last read.
  var messageCount: Int { state.withLock { $0.waiters.readCount } }

  /// When the first of the steps is due that wait; `nil` if they wait for signals alone.
  var firstDue: Date? { state.withLock { $0.waiters.firstDue } }

  /// Where the run rests, if this many steps wait here, and none has just been handed what it waits for.
  func rest(of count: Int) -> JournalRest? {
    state.withLock { state in
      guard state.waiters.count == count else { return nil }
      return JournalRest(due: state.waiters.firstDue, messageCount: state.waiters.readCount)
    }
  }

  /// Whether a step of a durable run waits for a signal, so that its mailbox has to be looked at.
  var isListening: Bool { state.withLock { $0.link != nil && $0.waiters.awaitsSignals } }

  /// Removes all signals that the run was sent; called where a thread may wait for files.
  func removeMailbox() { state.withLock { $0.link }?.mailbox.remove() }

  /// Reads what is new in the mailbox; called where a thread may wait for files.
  func readMailbox() {
    guard
      let (mailbox, count, begun) = state.withLock({ state in
        state.link.map { ($0.mailbox, state.waiters.readCount, $0.begun) }
      })
    else { return }
    do {
      let entries = try mailbox.entries(after: count)
      if !entries.isEmpty { receive(entries, after: count, begun: begun) }
    } catch {
      let waiting = state.withLock { $0.waiters.takeAwaiting() }
      for waiter in waiting { end(waiter) { $0.finishWithError(error: FlowError.storeError(error)) } }
    }
  }

  private func receive(_ entries: [Mailbox.Entry], after count: Int, begun: Date) {
    let handed = state.withLock { state in
      for entry in entries where entry.begun == nil || entry.begun == begun { state.waiters.add(entry.message) }
      state.waiters.noteRead(count + entries.count)
      return state.handOut()
    }
    hand(handed)
  }

  // MARK: Signals

  /// Takes a message that was sent within the process.
  func receive(_ message: SignalMessage) {
    let handed = state.withLock { state in
      state.waiters.add(message)
      return state.handOut()
    }
    hand(handed)
  }

  private func hand(_ handed: [(waiter: Waiters.Waiter, message: SignalMessage)]) {
    if handed.isEmpty { return }
    let sealing = state.withLock { $0.link?.journal }
    sealing?.flush()
    for (waiter, message) in handed { end(waiter) { open(message, sealing?.sealing, for: $0) } }
  }

  private func open(_ message: SignalMessage, _ sealing: FlowSealing?, for operation: WaitOperation) {
    do { operation.take(try message.opened(sealing)) } catch { operation.finishWithError(error: error) }
  }

  // MARK: Waiting

  /// Lets a step wait, which has begun: it ends at once, or when its time is over, or its signal comes.
  func begin(_ operation: WaitOperation, of source: FlowEvent.Source, in engine: RunEngine) {
    let now = engine.now
    let ownDue: Date?
    do { ownDue = try operation.due(after: now) } catch { return operation.finishWithError(error: error) }
    let alarms = alarms(of: engine)
    let (beginning, journal) = state.withLock { state -> (Waiters.Beginning, RunJournal?) in
      let journal = state.link?.journal
      let (step, attempt) = (Int(source.step), source.attempt)
      let beginning = state.waiters.begin(operation, step: step, attempt: attempt, due: ownDue, now: now) {
        journal?.take(.waits($0))
      }
      return (beginning, journal)
    }
    journal?.flush()
    switch beginning {
    case .isOver: operation.timeIsOver()
    case .takes(let message): open(message, journal?.sealing, for: operation)
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
      if isListening { MailboxWatch.shared.listen(for: self) }
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
    guard state.withLock({ $0.waiters.awaitsSignals }) else { return timesAreOver(numbers, engine) }
    // What another process has sent before the end counts. A lane may wait for the disk.
    engine.addLane { [self] in
      readMailbox()
      timesAreOver(numbers, engine)
    }
  }

  private func timesAreOver(_ numbers: [Int], _ engine: RunEngine) {
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
  fileprivate mutating func handOut() -> [(waiter: Waiters.Waiter, message: SignalMessage)] {
    waiters.handOut { link?.journal.take(.waits($0)) }
  }
}
