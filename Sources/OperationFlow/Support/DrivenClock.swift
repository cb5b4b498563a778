import Foundation

/// A clock whose time is moved by a program, and that performs the work of the runs that use it, one piece at a time.
///
/// Because it performs their lanes and their tasks, it knows when nothing can go on without time, and everything happens
/// in the same order each time.
package protocol DrivenClock: Clock<Duration> {
  /// The date at which it starts.
  var startDate: Date { get }
  /// The time that has passed since then.
  var elapsed: Duration { get }

  /// Performs work after the work that it was given before.
  func perform(_ work: @escaping @Sendable () -> Void)
  /// Starts a task, whose parts it performs like other work if the system lets it.
  func startTask(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never>

  /// Calls `body` as soon as some time has passed, and returns a number that identifies the call.
  func call(after time: Duration, _ body: @escaping @Sendable () -> Void) -> Int
  /// Takes back a call that has not been made.
  func cancelCall(_ number: Int)

  /// A run has begun to use it: `unsettled` returns how much of its work has begun and not ended, `nil` after its end.
  func join(_ unsettled: @escaping @Sendable () -> Int?)
  /// Some work waits until it is cancelled, or no longer does, so that time may pass.
  func noteHanging(_ isHanging: Bool)
}
