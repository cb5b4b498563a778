import Foundation
import OperationFlow

/// The work of a step that waits, which the run's waiting room ends.
final class WaitOperation: FlowOperation, WaitingOperation, @unchecked Sendable {
  // Invariant: the only variable is behind a lock.
  let wait: StepWait
  private let begun = Locked<(due: Date?, room: WaitingRoom)?>(nil)

  init(_ wait: StepWait) { self.wait = wait }

  var reason: FlowRun.Waiting.Reason {
    let due = begun.withLock { $0?.due }
    if case .signal(let signal) = wait.kind { return .signal(signal.name, until: due) }
    return due.map { .date($0) } ?? .work
  }

  override func mainLogic() {
    startWithAsynchronous()
    guard let (engine, source) = place, let room = engine.waits as? WaitingRoom else {
      return finishWithError(error: FlowError.waitsOutsideRun)
    }
    room.begin(self, of: source, in: engine)
  }

  override func cancel() {
    super.cancel()
    begun.withLock { $0?.room }?.leave(self)
  }

  /// Returns the date at which the step stops waiting; `nil` for a signal without a timeout.
  func due(after now: Date) throws -> Date? {
    switch wait.kind {
    case .time, .signal: return wait.time.map { now.addingTimeInterval($0 / .seconds(1)) }
    case .date(let date): return date
    case .keyDate(let key):
      guard let date = getData(name: key) else { throw FlowError.missingDate(key.name) }
      guard date < .distantFuture else { throw FlowError.endlessWait(key.name) }
      return date
    }
  }

  /// The signal for which the step waits.
  var signal: AwaitedSignal? { wait.signal }

  /// True if the step ends at a date, whatever time has passed.
  var isDated: Bool {
    switch wait.kind {
    case .date, .keyDate: true
    case .time, .signal: false
    }
  }

  func markWaiting(until due: Date?, in room: WaitingRoom) { begun.withLock { $0 = (due, room) } }

  // MARK: Ending

  /// Ends the step, because its time is over.
  func timeIsOver() {
    guard let signal, !signal.continues else { return finishSuccessfully() }
    finishWithError(error: FlowError.signalTimedOut(signal.name, signal.timeout ?? .zero))
  }

  /// Ends the step with its signal; throws an error, and doesn't end it, if the value can't be decrypted or decoded.
  func accept(_ message: SignalMessage, _ sealing: FlowSealing?) throws(FlowError) {
    try signal?.accept(try message.opened(sealing), self)
    finishSuccessfully()
  }
}
