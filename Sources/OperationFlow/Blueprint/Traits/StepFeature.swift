/// The questions that validation, reports, export, and the engine ask the traits of a step.
///
/// None of them knows any trait. A trait is one file in this folder: a method that users call, and a value that answers the questions that concern it.
protocol StepFeature: Sendable {
  /// What diagrams show of it.
  var marks: StepMarks { get }
  /// What is wrong with its values, whatever the data.
  var mistakes: [StepMistake] { get }
  /// Why no other engine can do what it asks for.
  var obstacles: [StepObstacle] { get }
  /// How much sooner the step's work starts than other work that could start; 0 for most.
  var precedence: Int { get }
  /// Prepares an operation of the step, before it starts.
  func prepare(_ operation: FlowOperation)
}

extension StepFeature {
  var marks: StepMarks { [] }
  var mistakes: [StepMistake] { [] }
  var obstacles: [StepObstacle] { [] }
  var precedence: Int { 0 }
  func prepare(_ operation: FlowOperation) {}
}

/// A value of a trait that makes no sense.
struct StepMistake: Sendable {
  let code: FlowError.Code
  let problem: String
  let remedy: String

  init(_ code: FlowError.Code, _ problem: String, remedy: String) {
    (self.code, self.problem, self.remedy) = (code, problem, remedy)
  }
}

/// Something of a step that can't be done by another engine.
package struct StepObstacle: Sendable {
  package let problem: String
  package let remedy: String

  init(_ problem: String, remedy: String) { (self.problem, self.remedy) = (problem, remedy) }
}

extension SpecialOptions {
  /// All that can be asked.
  var all: [any StepFeature] {
    let known: [(any StepFeature)?] = [limits, retry, attempts, undo, results]
    return known.compactMap(\.self) + conditions + features
  }

  /// Adds a feature, in place of an earlier one of its type.
  mutating func set<Feature: StepFeature>(_ feature: Feature) {
    features.removeAll { $0 is Feature }
    features.append(feature)
  }
}
