import Foundation

/// The questions that validation, reports, export, and the engine ask the traits of a step.
///
/// None of them knows any trait. A trait is one file: a method that users call, and a value that answers the questions.
package protocol StepFeature: Sendable {
  /// What diagrams show of it.
  var marks: StepMarks { get }
  /// What is wrong with its values, whatever the data.
  var mistake: FlowError? { get }
  /// Why no other engine can do what it asks for, and what to do about that.
  var obstacle: (problem: String, remedy: String)? { get }
  /// The time that passes in it, if that is all, as other engines can let it pass.
  var pause: StepPause? { get }
  /// How much sooner the step's work starts than other work that could start; 0 for most.
  var precedence: Int { get }
  /// Prepares an operation of the step, before it starts.
  func prepare(_ operation: FlowOperation)
  /// Makes what a run keeps for its operations that wait; `nil` if the step's doesn't wait. A run makes it once.
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

/// What a run keeps for operations that wait for something outside it, such as the messages that have come.
package protocol RunWaits: AnyObject, Sendable {
  /// A warning about messages that no operation has taken, for the end of the run; `nil` if there are none.
  var warningAtEnd: String? { get }
}

package enum StepPause: Sendable {
  case time(Duration)
  case date(Date)
}
