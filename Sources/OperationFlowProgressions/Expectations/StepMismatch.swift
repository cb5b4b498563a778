import Foundation

/// A step of a progression that led elsewhere than a test expects; its text has the step, the next and the expected
/// one.
///
/// If a test throws it, the test fails with that text in every testing framework.
public struct StepMismatch: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
  /// The name of the step that was performed.
  public let step: String
  /// The difference between what happened and what was expected.
  public let description: String

  /// The value of `description`, for code that reads `localizedDescription`.
  public var errorDescription: String? { description }

  init<Step: Progression>(at step: Step, _ problem: String) {
    self.step = step.stepName
    description = "\(Step.self), from \(described(step)): \(problem)."
  }
}

/// Returns a value as a test's message shows it, with strings in quotes and long texts cut.
func described(_ value: Any) -> String {
  let text = String(reflecting: value)
  let head = text.prefix(500)
  return head.endIndex < text.endIndex ? head + "…" : text
}
