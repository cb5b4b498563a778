import Foundation

/// A clock that a program moves, and that performs the work of the runs on it, one piece at a time, in one order.
package protocol DrivenClock: AnyObject, Clock<Duration> {
  var startDate: Date { get }
  var elapsed: Duration { get }
  /// Performs work after all work that was passed before.
  func perform(_ work: @escaping @Sendable () -> Void)
  /// Starts a task; if the system permits, the clock performs the parts of the task like other work.
  func startTask(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never>
  /// Registers a run; `openWork` returns the run's unfinished work, or `nil` after the run's end.
  func join(_ run: DrivenRun, _ openWork: @escaping @Sendable (_ isWaiting: (DrivenWork) -> Bool) -> OpenWork?)
  /// Records that some work waits for time or for other work (`true`), or no longer does (`false`).
  func setWaiting(of work: DrivenWork, _ isWaiting: Bool)
  /// Stops the clock from moving by itself (`true`) while something runs that it can't see, until a call with `false`.
  func hold(_ isHeld: Bool)
}

/// The work of an active run that waits neither for the clock nor for other work of runs, with its names.
package typealias OpenWork = (isEmpty: Bool, names: () -> [String])

/// A run as an identity for its driven clock.
package final class DrivenRun: @unchecked Sendable {
  // Invariant: the reference is set once, and the runtime makes weak references safe to read on any thread.
  private(set) weak var clock: (any DrivenClock)?
  /// The work of another run that created this run; the clock assumes that this work waits for the run.
  package let maker = DrivenWork.current

  init(on clock: any DrivenClock) { self.clock = clock }
}

/// A piece of work of such a run.
package struct DrivenWork: Sendable, Hashable {
  /// The work whose code is running; `nil` outside runs on a driven clock.
  @TaskLocal package static var current: DrivenWork?

  private let run: DrivenRun
  private let ticket: SlabID

  init(_ run: DrivenRun, _ ticket: SlabID) {
    self.run = run
    self.ticket = ticket
  }

  /// Notifies the clock that this work waits for time or for other work (`true`), or no longer does (`false`).
  package func setWaiting(_ isWaiting: Bool) { run.clock?.setWaiting(of: self, isWaiting) }

  package static func == (one: Self, other: Self) -> Bool { one.run === other.run && one.ticket == other.ticket }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(run))
    hasher.combine(ticket)
  }
}
