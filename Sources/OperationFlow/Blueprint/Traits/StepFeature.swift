import Foundation

/// A trait of a step, as validation, reports, export and the engine use it.
///
/// None of them has code for a particular trait. A trait is one file: a method that users call, and such a value.
package protocol StepFeature: Sendable {
  /// The marks of the trait, which diagrams show.
  var marks: StepMarks { get }
  /// The error in the trait's values, which doesn't depend on the data; `nil` if there is none.
  var mistake: FlowError? { get }
  /// The reason why other engines can't do the trait's work, and the remedy; `nil` if they can.
  var obstacle: (problem: String, remedy: String)? { get }
  /// The time for which the step waits, if the step does nothing else, so that other engines can wait as well.
  var pause: StepPause? { get }
  /// The precedence of the step's work over other work that could start; 0 for most traits.
  var precedence: Int { get }
  /// Prepares an operation of the step, before it starts.
  func prepare(_ operation: FlowOperation)
  /// Creates the state that a run has for its waiting operations, once for each run; `nil` if the step doesn't wait.
  func makeWaits() -> (any RunWaits)?
}

extension StepFeature {
  package var marks: StepMarks { [] }
  package var mistake: FlowError? { nil }
  package var obstacle: (problem: String, remedy: String)? { nil }
  package var pause: StepPause? { nil }
  package var precedence: Int { 0 }
  package func prepare(_ operation: FlowOperation) {}
  package func makeWaits() -> (any RunWaits)? { nil }
}

/// The state that a run has for operations that wait for something outside it, such as the messages that have arrived.
package protocol RunWaits: AnyObject, Sendable {
  /// A warning at the end of the run about messages that no operation has received; `nil` if there are none.
  var warningAtEnd: String? { get }
}

package enum StepPause: Sendable {
  case time(Duration)
  case date(Date)
}
