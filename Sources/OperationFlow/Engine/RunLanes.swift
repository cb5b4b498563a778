import Foundation

/// The lanes of a run: loops on threads of its queue, each of which performs work until there is none for it.
///
/// They are added as there is work; one whose work ends elsewhere gives its thread back.
struct RunLanes: Sendable {
  private let queue: LaneQueue
  /// The clock that performs the work of its runs itself, one lane at a time.
  private let clock: (any DrivenClock)?

  init(name: @autoclosure () -> String, on clock: (any DrivenClock)? = nil) {
    queue = LaneQueue(name: name())
    self.clock = clock
  }

  /// Adds lanes to the queue.
  func add(_ count: Int, _ run: @escaping @Sendable () -> Void) {
    guard let clock else { return queue.add(count, run) }
    for _ in 0..<count { clock.perform(run) }
  }

  /// Gives the queue a starter for work that can't be started directly, because it has dependencies; returns what the run
  /// has to hold for it.
  func enqueue(_ starter: Operation) -> (any AnyObject & Sendable)? { queue.add(starter) }

  /// How many lanes that have not claimed yet are useful: one for each piece of work, but not for a million at once.
  ///
  /// Each lane that claims adds those that are useful then, so the number of lanes at work doubles while work is left.
  /// It is never 0 if there is work.
  static func usefulCount(claimable: Int, running: Int) -> Int { min(claimable, max(4, min(running, 64))) }
}
