import Foundation
import OperationFlow
import OperationFlowReports

/// The steps of a flow for a record, with their states in an execution.
struct HistorySteps {
  /// The progress of a step and its items.
  private struct Course {
    var first: Date?
    var last: Date?
    var attempts = 0
    var state = FlowRecord.State.waiting
    var items: [Int: FlowRecord.State] = [:]
    var itemCount: Int?
    var wasSkipped = false
  }

  private(set) var steps: [FlowRecord.Step] = []
  private var courses: [Int: Course] = [:]

  /// Creates the steps, none of which has begun.
  init(_ blueprint: FlowBlueprint) { add(blueprint.steps, within: nil) }

  private mutating func add(_ steps: [FlowBlueprint.Step], within parent: Int?) {
    for (place, step) in steps.enumerated() {
      let id = self.steps.count
      self.steps.append(FlowRecord.Step(step, id: id, parent: parent, number: place + 1))
      let hasBranches = [.cases, .parallel].contains(step.kind)
      for branch in step.branches {
        guard hasBranches else {
          add(branch.steps, within: id)
          continue
        }
        let branchID = self.steps.count
        self.steps.append(FlowRecord.Step(branch, of: step, id: branchID, parent: id))
        add(branch.steps, within: branchID)
      }
    }
  }

  /// Returns the steps after these events; `failed` is the step that failed the execution.
  mutating func after(_ events: [FlowEvent], hasEnded: Bool, failed: Int?) -> [FlowRecord.Step] {
    courses = [:]
    for event in events { apply(event) }
    // The inner steps follow the step that contains them, so in reverse order the parts are known before the whole.
    var known: [Int: FlowRecord.Step] = [:]
    for step in steps.reversed() {
      let parts = steps.filter { $0.parent == step.id }.compactMap { known[$0.id] }
      known[step.id] = result(step, parts, hasEnded: hasEnded, failed: failed)
    }
    // If one branch of a step with cases has run, the others, and all steps within them, are skipped.
    var skipped: Set<Int> = []
    for step in steps {
      guard var course = known[step.id] else { continue }
      let isBesideTaken =
        step.kind == .branch && step.parent.map { steps[$0].kind == .cases } == true && course.state.isAbsent
        && steps.contains { $0.parent == step.parent && known[$0.id]?.state.isAbsent == false }
      if isBesideTaken || step.parent.map(skipped.contains) == true {
        skipped.insert(step.id)
        course = course.with(.skipped)
      }
      known[step.id] = course
    }
    return steps.compactMap { known[$0.id] }
  }

  private mutating func apply(_ event: FlowEvent) {
    guard let id = event.step else { return }
    var course = courses[id, default: Course()]
    switch event.kind {
    case .groupCreated(let count):
      course.itemCount = count
      (course.state, course.attempts) = (.running, 1)
    case .groupFinished: course.state = .succeeded
    case .skipped: course.wasSkipped = true
    case .started:
      if let item = event.source.item {
        course.items[item] = .running
      } else {
        course.attempts = max(course.attempts, event.attempt)
      }
      course.state = .running
    case .finished(let finish):
      let state: FlowRecord.State =
        switch finish {
        case .successfully: .succeeded
        case .cancelled: .cancelled
        default: event.isRetried ? .running : .failed
        }
      if let item = event.source.item { course.items[item] = state } else { course.state = state }
      course.last = event.date
    default: break
    }
    course.first = course.first ?? event.date
    courses[id] = course
  }

  private func result(
    _ step: FlowRecord.Step, _ parts: [FlowRecord.Step], hasEnded: Bool, failed: Int?
  ) -> FlowRecord.Step {
    let course = courses[step.id] ?? Course()
    var state = course.wasSkipped ? .skipped : course.state
    var items: FlowReport.Items?
    if let count = course.itemCount {
      let ends = course.items.values
      items = FlowReport.Items(
        total: count, succeeded: ends.count { $0 == .succeeded }, failed: ends.count { $0 == .failed },
        cancelled: ends.count { $0 == .cancelled })
      if state == .running, !ends.contains(.running) {
        // If the group had tolerated the failures, there would be an event of its end.
        state = ends.contains(.cancelled) ? .cancelled : hasEnded && ends.contains(.failed) ? .failed : .succeeded
      }
    }
    if !parts.isEmpty { state = Self.whole(parts.map(\.state), hasEnded: hasEnded) }
    if step.id == failed || parts.contains(where: { $0.state == .failed }) && failed != nil { state = .failed }
    if hasEnded, state == .waiting { state = .neverRan }
    let duration = course.first.flatMap { first in course.last.map { $0.timeIntervalSince(first) } }
    return step.with(
      state, duration: state == .running ? nil : duration.map { .clamping(seconds: $0).inMicroseconds },
      attempts: parts.isEmpty ? course.attempts : state.isAbsent ? 0 : 1, items: items)
  }

  /// Returns the state of a step, derived from the states of the steps within it.
  private static func whole(_ parts: [FlowRecord.State], hasEnded: Bool) -> FlowRecord.State {
    if parts.allSatisfy(\.isAbsent) { return parts.contains(.skipped) ? .skipped : .waiting }
    if parts.contains(.cancelled) { return .cancelled }
    return hasEnded || !parts.contains { $0 == .running || $0 == .waiting } ? .succeeded : .running
  }
}

extension FlowRecord.State {
  /// True if a step hasn't begun.
  fileprivate var isAbsent: Bool { [.waiting, .neverRan, .skipped].contains(self) }
}

extension FlowRecord.Step {
  fileprivate init(_ step: FlowBlueprint.Step, id: Int, parent: Int?, number: Int) {
    self.init(
      id: id, parent: parent, name: step.name, number: number, kind: FlowRecord.Kind(step.kind),
      path: step.path, inputs: step.inputs.map(\.name), outputs: step.outputs.map(\.name), options: step.options,
      state: .waiting)
  }

  /// Creates a branch with the name from its steps' paths, where branches of hidden values are numbered.
  fileprivate init(_ branch: FlowBlueprint.Branch, of step: FlowBlueprint.Step, id: Int, parent: Int) {
    let inner = branch.steps.first?.path
    let own = inner.flatMap { inner in inner.node.flatMap(inner.table.parent).map { (inner.table, $0) } }
    self.init(
      id: id, parent: parent, name: own.map { $0.name(of: $1) } ?? branch.name, number: nil, kind: .branch,
      path: own.map { FlowPath($0, $1) } ?? FlowPath("\(step.path) > \(branch.name)"), state: .waiting)
  }

  fileprivate func with(
    _ state: FlowRecord.State, duration: Duration? = nil, attempts: Int = 0, items: FlowReport.Items? = nil
  ) -> FlowRecord.Step {
    FlowRecord.Step(
      id: id, parent: parent, name: name, number: number, kind: kind, path: path, inputs: inputs, outputs: outputs,
      options: options, state: state, duration: duration, attempts: attempts, items: items)
  }
}
