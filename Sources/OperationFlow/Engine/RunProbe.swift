/// What a test does to the work of a run, and what it learns of it.
package struct RunProbe: Sendable {
  /// A piece of work: one attempt of a step, or of a group's item.
  package struct Work: Sendable {
    /// The step's place in its flow.
    package let path: FlowPath
    /// The step's name.
    package let name: String
    /// The index of the group's item; `nil` outside groups.
    package let item: Int?
    /// The number of the attempt, counted from 1.
    package let attempt: Int
  }

  /// What happens to a piece of work instead of what it would do.
  package struct Interception: Sendable {
    package enum End: Sendable {
      case fails(any Error)
      case isCancelled
      /// It does nothing until it is cancelled.
      case hangs
    }

    /// How long it waits first; `nil` if it doesn't.
    package var delay: Duration?
    /// How it ends; `nil` if it does its work.
    package var end: End?

    package init(delay: Duration? = nil, end: End? = nil) {
      self.delay = delay
      self.end = end
    }
  }

  /// Returns what happens to a piece of work; `nil` if it does its work.
  package var intercept: (@Sendable (Work) -> Interception?)?
  /// Called when a step or an item reports its progress, with its value from 0 to 1.
  package var didReport: (@Sendable (Double) -> Void)?

  package init() {}
}
