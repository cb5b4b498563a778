import Foundation

/// A clock that a program moves, and that performs the work of the runs that use it, one piece at a time, in one order.
package protocol DrivenClock: AnyObject, Clock<Duration> {
  var startDate: Date { get }
  var elapsed: Duration { get }
  /// Performs work after the work that it was given before.
  func perform(_ work: @escaping @Sendable () -> Void)
  /// Starts a task, whose parts it performs like other work if the system lets it.
  func startTask(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never>
  /// A run has begun to use it, which tells what of its work is open; `nil` after its end.
  func join(_ run: DrivenRun, _ openWork: @escaping @Sendable (_ isWaiting: (DrivenWork) -> Bool) -> OpenWork?)
  /// Some work waits for what only time or other work brings, as far as it says, or no longer does.
  func setWaiting(of work: DrivenWork, _ isWaiting: Bool)
  /// No time passes by itself until the same is called with `false`: something is under way that the clock can't see.
  func hold(_ isHeld: Bool)
}

/// The work of a run that is under way, and waits neither for the clock nor for other work of runs, with its names.
package typealias OpenWork = (isEmpty: Bool, names: () -> [String])

/// A run as a clock knows it that is driven by a program.
package final class DrivenRun: @unchecked Sendable {
  // Invariant: the reference is never set again, and the runtime makes weak references safe to read on any thread.
  private(set) weak var clock: (any DrivenClock)?
  /// The work of another run that has made this one, and waits for it as far as the clock knows.
  package let maker = DrivenWork.current

  init(on clock: any DrivenClock) { self.clock = clock }
}

/// A piece of work of such a run.
package struct DrivenWork: Sendable, Hashable {
  /// The one whose code is running; `nil` outside such runs.
  @TaskLocal package static var current: DrivenWork?

  private let run: DrivenRun
  private let ticket: SlabID

  init(_ run: DrivenRun, _ ticket: SlabID) {
    self.run = run
    self.ticket = ticket
  }

  /// Tells the clock whether it waits for something that the clock need not wait for.
  package func setWaiting(_ isWaiting: Bool) { run.clock?.setWaiting(of: self, isWaiting) }

  package static func == (one: Self, other: Self) -> Bool { one.run === other.run && one.ticket == other.ticket }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(run))
    hasher.combine(ticket)
  }
}
