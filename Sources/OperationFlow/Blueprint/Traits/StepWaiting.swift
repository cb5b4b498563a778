import Foundation

/// What a step waits for that does nothing else, as validation, reports, export and the engine ask it.
package protocol StepWaiting: Sendable {
  /// What is wrong with its values, whatever the data.
  var mistake: FlowError? { get }
  /// Why no other engine can wait for it, and what to do about that.
  var obstacle: (problem: String, remedy: String)? { get }
  /// The time that passes, as other engines can let it pass.
  var pause: StepPause? { get }
  /// Makes what a run keeps for its operations that wait; a run makes it once.
  func makeWaits() -> any RunWaits
}

/// What a run keeps for its operations that wait for something outside it, such as the messages that have come.
package protocol RunWaits: AnyObject, Sendable {}

/// What a step is that only lets time pass.
package enum StepPause: Sendable {
  case time(Duration)
  case date(Date)
}
