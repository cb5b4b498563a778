/// A run in texts, without secrets, from which the summaries and the public record are made, so that all tell the same.
///
/// Times are rounded to microseconds, which survive being saved.
package final class RunDigest: Sendable {
  package let runID: String?
  package let flowName: String
  /// The steps, each before those within it; branches have entries of their own.
  package let steps: [Step]
  package let events: [FlowEvent]
  /// The first items that failed; the steps count all of them.
  package let itemFailures: [ItemFailure]
  /// `nil` while the run is under way.
  package let ending: Ending?
  /// The places of the steps by their numbers; of those with the same number, the first counts.
  let places: [Int: Int]

  package init(
    runID: String?, flowName: String, steps: [Step], events: [FlowEvent], itemFailures: [ItemFailure], ending: Ending?
  ) {
    self.runID = runID
    self.flowName = flowName
    self.steps = steps
    self.events = events
    self.itemFailures = itemFailures
    self.ending = ending
    places = steps.indices.reversed().reduce(into: [:]) { $0[steps[$1].id] = $1 }
  }

  /// True if the run had ended before it was asked for again: then nothing but its ending is known.
  package var hadEnded: Bool { ending != nil && steps.isEmpty && events.isEmpty }

  package func step(_ id: Int) -> Step? { places[id].map { steps[$0] } }

  /// An item of a group that failed for good, such as `[UploadOp #3]`; the step is the group, if it is known.
  package typealias ItemFailure = (name: String, step: Int?, index: Int, input: String, error: String, attempt: Int)

  /// The text is that at the end of a summary's last line, after the result; it may hold any character.
  package typealias Ending = (result: Result, duration: Duration, text: String, failure: Failure?)

  package enum Result: Sendable {
    case succeeded, failed, cancelled
  }

  /// Where and with what a run failed.
  ///
  /// The name is that of the step or item, such as `[words #3]`, the step `nil` if none is to blame. The problem is the text
  /// of the error, without the remedy if it has one. If the flow was refused, nothing of it ran.
  package typealias Failure = (
    name: String, step: Int?, item: Int?, attempt: Int, problem: String, remedy: String?, isRefusal: Bool
  )

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
    /// Its kind; `nil` for a branch, and in the digest of a record, unless it is cases.
    package let kind: FlowStepKind?
    /// The text of a group's event if it stops; `nil` if it tolerates no failure, as in the predecessor.
    package let stopText: String?
    package let path: FlowPath
    /// The names of the values that it declares to read.
    package let inputs: [String]
    /// The names of the values that it declares to write.
    package let outputs: [String]
    package let options: StepMarks
    package let state: StepState
    /// `nil` if the step has not ended, or began before a resume.
    package let duration: Duration?
    package let beforeResume: FlowReport.BeforeResume?
    package let attempts: Int
    package let items: FlowReport.Items?
    /// `nil` if that isn't known, as in a record that an earlier version has saved.
    package let followUps: FollowUps?

    package init(
      id: Int, parent: Int?, name: String, number: Int?, kind: FlowStepKind?, stopText: String?, path: FlowPath,
      inputs: [String], outputs: [String] = [], options: StepMarks = [], state: StepState, duration: Duration?,
      beforeResume: FlowReport.BeforeResume?, attempts: Int, items: FlowReport.Items?, followUps: FollowUps? = nil
    ) {
      self.id = id
      self.parent = parent
      self.name = name
      self.number = number
      self.kind = kind
      self.stopText = stopText
      self.path = path
      self.inputs = inputs
      self.outputs = outputs
      self.options = options
      self.state = state
      self.duration = duration
      self.beforeResume = beforeResume
      self.attempts = attempts
      self.items = items
      self.followUps = followUps
    }
  }

  package struct Cause: Sendable {
    package let failure: Failure
    /// `nil` if no step is to blame.
    package let path: FlowPath?
    /// The values that the step declares to read, as they were when it began, after the item itself if it is one.
    package let inputs: [FlowEvent.Item]

    /// Where the run failed, and what the step had read; `nil` if no step is to blame.
    package var placeText: String? {
      guard let path else { return nil }
      let place = LineText.escaped(ValueText.cut(path.description, limit: 300))
      let values = inputsText.map { "; it read \($0)" } ?? ""
      return "Failed at: \(place)\(failure.item.map { ", item #\($0)" } ?? "")\(values)"
    }

    /// At most 10 values that the step had read, of at most 100 characters each; `nil` if it declares none.
    var inputsText: String? {
      guard !inputs.isEmpty else { return nil }
      let shown = inputs.prefix(10).map { input in
        LineText.escaped("\(input.name) = \(ValueText.cut(input.text, limit: 100))")
      }
      let rest = inputs.count - shown.count
      return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
  }

  package var cause: Cause? {
    guard let failure = ending?.failure else { return nil }
    let step = failure.step.flatMap(step)
    var inputs: [FlowEvent.Item] = []
    if let index = failure.item, let item = itemFailures.last(where: { $0.step == step?.id && $0.index == index }) {
      inputs.append(FlowEvent.Item(name: "item", text: item.input))
    }
    if let step { inputs += values(step.inputs, before: step.id, failure) }
    return Cause(failure: failure, path: step?.path, inputs: inputs)
  }

  /// The values that a step, or an item of it, had when it began for the last time, as far as that is certain.
  private func values(_ names: [String], before step: Int, _ failure: Failure) -> [FlowEvent.Item] {
    if names.isEmpty { return [] }
    let start = events.lastIndex { $0.step == step && $0.source.item == failure.item && $0.kind == .started }
    let end = events.lastIndex { event in
      if case .finished = event.kind { event.step == step && event.source.item == failure.item } else { false }
    }
    let texts = BucketTexts(events, before: start ?? end ?? events.endIndex)
    // The start of the last attempt may itself have been left out.
    let isStart = start.map { events[$0].attempt >= failure.attempt } ?? false
    let isKnown = isStart || !events.contains(where: \.kind.isLeftOut)
    return names.map { FlowEvent.Item(name: $0, text: (isKnown ? texts.text(of: $0) : nil) ?? BucketTexts.unknown) }
  }
}
