/// What a group's results go to, as a run sees it: it is used by one group of one run.
final class ResultOutlet: Sendable {
  private let reserveOnce: @Sendable () -> Bool
  private let returnIt: @Sendable () -> Void
  private let end: @Sendable (_ isReserved: Bool) -> Void
  /// What is the same for outlets of one sequence.
  let identity: ObjectIdentifier

  init<Element>(_ channel: ResultChannel<Element>) {
    identity = ObjectIdentifier(channel)
    reserveOnce = { channel.reserve() }
    returnIt = { channel.giveBack() }
    end = { channel.finish(isReserved: $0) }
  }

  deinit { end(true) }

  /// Reserves it for one run; false if another one has it, or has had it.
  func reserve() -> Bool { reserveOnce() }

  /// Undoes the reservation of a run that doesn't begin.
  func giveBack() { returnIt() }

  /// No more results come: from the run that has reserved it, or from one that was refused.
  func finish(isReserved: Bool) { end(isReserved) }
}
