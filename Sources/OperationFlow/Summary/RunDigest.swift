/// A run in texts, without secrets: its steps, its events in order, and its ending.
///
/// The summaries are folds over it. The module of reports makes the record of a run from it, which holds the same, is
/// public, and can be saved; so both tell the same of a run. Times are rounded to microseconds, which survive being saved.
package final class RunDigest: Sendable {
  /// The identifier of the run; `nil` if it isn't known.
  package let runID: String?
  package let flowName: String
  /// The steps, each before those within it; branches have entries of their own.
  package let steps: [Step]
  package let events: [FlowEvent]
  /// The first items that failed; the steps count all of them.
  package let itemFailures: [ItemFailure]
  /// The ending of the run; `nil` while it is under way.
  package let ending: Ending?
  /// The number of events that were left out because their kind isn't known.
  package let skippedEventCount: Int

  /// The position of each step by its number.
  private let places: [Int: Int]

  package init(
    runID: String?, flowName: String, steps: [Step], events: [FlowEvent], itemFailures: [ItemFailure], ending: Ending?,
    skippedEventCount: Int = 0
  ) {
    self.runID = runID
    self.flowName = flowName
    self.steps = steps
    self.events = events
    self.itemFailures = itemFailures
    self.ending = ending
    self.skippedEventCount = skippedEventCount
    var places: [Int: Int] = [:]
    for place in steps.indices.reversed() { places[steps[place].id] = place }
    self.places = places
  }

  /// The position of a step in ``steps`` by its number; `nil` if there is none.
  func place(of id: Int) -> Int? { places[id] }

  /// The step with a number, such as an event's ``FlowEvent/step``; `nil` if there is none.
  package func step(_ id: Int) -> Step? { places[id].map { steps[$0] } }

  /// An item of a group that failed for good.
  package final class ItemFailure: Sendable {
    /// The item's name, such as `[UploadOp #3]`.
    package let name: String
    /// The number of the group; `nil` if it isn't known.
    package let step: Int?
    /// The item's index, counted from 0.
    package let index: Int
    /// The text of the item, or `<redacted>`.
    package let input: String
    package let error: String
    /// The number of the last attempt, counted from 1.
    package let attempt: Int

    package init(name: String, step: Int?, index: Int, input: String, error: String, attempt: Int) {
      (self.name, self.step, self.index) = (name, step, index)
      (self.input, self.error, self.attempt) = (input, error, attempt)
    }
  }

  /// The ending of a run.
  package final class Ending: Sendable {
    /// Whether the run has succeeded, failed, or was cancelled.
    package let result: StepState
    package let duration: Duration
    /// The text at the end of a summary's last line, after the result; it may hold any character.
    package let text: String
    /// Where and with what the run failed; `nil` unless it failed.
    package let failure: Failure?

    package init(result: StepState, duration: Duration, text: String, failure: Failure?) {
      (self.result, self.duration, self.text, self.failure) = (result, duration, text, failure)
    }
  }

  /// Where and with what a run failed.
  package final class Failure: Sendable {
    /// The name of the step or item that failed, such as `[words #3]`.
    package let name: String
    /// The number of the step; `nil` if no step is to blame.
    package let step: Int?
    /// The index of the group's item; `nil` outside groups.
    package let item: Int?
    /// The number of the attempt that failed, counted from 1.
    package let attempt: Int
    /// The text of the error, without the remedy if it has one.
    package let problem: String
    package let remedy: String?
    /// True if the flow was refused, so that nothing of it ran.
    package let isRefusal: Bool

    package init(
      name: String, step: Int?, item: Int?, attempt: Int, problem: String, remedy: String?, isRefusal: Bool
    ) {
      (self.name, self.step, self.item, self.attempt) = (name, step, item, attempt)
      (self.problem, self.remedy, self.isRefusal) = (problem, remedy, isRefusal)
    }
  }
}

extension RunDigest {
  /// A step of the flow, or a branch of one, with what became of it.
  package final class Step: Sendable {
    /// Its number, to which events refer.
    package let id: Int
    /// The number of the step or branch that contains it; `nil` at the outermost level.
    package let parent: Int?
    /// Its name; for a branch of cases, its condition.
    package let name: String
    /// Its place among the steps beside it, counted from 1; `nil` for a branch.
    package let number: Int?
    package let kind: Kind
    package let path: FlowPath
    /// The names of the values that it declares to read.
    package let inputs: [String]
    /// The names of the values that it declares to write.
    package let outputs: [String]
    /// The options that it was added with.
    package let options: StepMarks
    package let state: StepState
    /// The duration; `nil` if the step has not ended, or began before a resume.
    package let duration: Duration?
    /// The part of the step before a durable run was resumed; `nil` if there was none.
    package let beforeResume: FlowReport.BeforeResume?
    /// The number of attempts; 0 if the step never began.
    package let attempts: Int
    /// The numbers of a group's items; `nil` if they are not known.
    package let items: Items?

    package init(
      id: Int, parent: Int?, name: String, number: Int?, kind: Kind, path: FlowPath, inputs: [String] = [],
      outputs: [String] = [], options: StepMarks = [], state: StepState, duration: Duration? = nil,
      beforeResume: FlowReport.BeforeResume? = nil, attempts: Int = 0, items: Items? = nil
    ) {
      (self.id, self.parent, self.name, self.number) = (id, parent, name, number)
      (self.kind, self.path, self.inputs, self.outputs) = (kind, path, inputs, outputs)
      (self.options, self.state, self.duration, self.beforeResume) = (options, state, duration, beforeResume)
      (self.attempts, self.items) = (attempts, items)
    }
  }

  /// The kind of a step.
  package enum Kind: Sendable {
    case operation(type: String)
    case closure
    /// A group, with the text of its event if it stops.
    case group(width: Int, stopText: String?)
    case cases
    /// A branch of cases or of a parallel step.
    case branch
    case flow
    case parallel
    case always
    /// What another version of the library has saved.
    case other(String)
  }

  /// The numbers of a group's items, by how they ended.
  package typealias Items = FlowReport.Items
}
