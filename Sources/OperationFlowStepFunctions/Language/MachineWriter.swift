import Foundation
import OperationFlow

/// Writes the states of a flow, from the last step to the first, because each state names its successor.
struct MachineWriter {
  /// The states around a step.
  struct Surroundings {
    /// The state that follows if no case matches.
    var end: String
    /// The state that follows a failure; `nil` if the failure ends the execution.
    var failure: String?
    /// The part of the library's own member that gets the failure.
    var errorPart = "error"
    /// True if completed steps are recorded, to be undone.
    var notesDone = true
  }

  let plan: FlowPlan
  let activity: String
  let options: StateMachineOptions
  /// The steps by the names of their states.
  private(set) var steps: [String: FlowPath] = [:]
  /// True if states use the library's own member of the data.
  var usesOwnData = false
  /// The names that the data needs from the start, so that tasks can pass on the values that they may have.
  var expectedNames: Set<String> = []
  /// The state after the last undo.
  var afterUndos = "Failure"
  /// The steps that may answer with only a value: nothing before them writes the key, so no value is lost.
  private let soleWriters: Set<Int>

  init(_ plan: FlowPlan, _ activity: String, _ options: StateMachineOptions) {
    (self.plan, self.activity, self.options) = (plan, activity, options)
    soleWriters = Self.soleWriters(of: plan)
  }

  /// Writes the whole definition.
  mutating func machine() -> LanguageJSON {
    var list = StateList(end: "End")
    let hasUndo = plan.steps.contains(where: \.hasUndo)
    var (end, failure) = (list.end, String?.none)
    if hasUndo || !plan.always.isEmpty {
      usesOwnData = true
      (end, failure) = writeEnding(into: &list, hasUndo: hasUndo)
    }
    var start = write(plan.steps, into: &list, next: end, Surroundings(end: end, failure: failure))
    if hasUndo { writeUndos(into: &list) }
    if usesOwnData { start = writeOwnData(into: &list, next: start) }
    if !expectedNames.isEmpty { start = writeExpected(into: &list, next: start) }
    var machine = list.parts(start: start)
    machine["Comment"] = .text("OperationFlow: \(plan.name)")
    if let deadline = plan.deadline { machine["TimeoutSeconds"] = .integer(Self.seconds(deadline)) }
    return .object(machine)
  }

  /// Writes steps that follow each other; returns the name of the first state.
  mutating func write(
    _ steps: [FlowPlan.Step], into list: inout StateList, next: String, _ around: Surroundings
  ) -> String {
    var next = next
    for step in steps.reversed() { next = write(step, into: &list, next: next, around) }
    return next
  }

  private mutating func write(
    _ step: FlowPlan.Step, into list: inout StateList, next: String, _ around: Surroundings
  ) -> String {
    let entry: String
    switch step.kind {
    case .work: entry = writeWork(step, into: &list, next: next, around)
    case .pause(let pause): entry = list.add(name(step), Self.state(of: pause), next: next)
    case .group(let group): entry = writeGroup(step, group, into: &list, next: next, around)
    case .cases(let cases, let otherwise):
      entry = writeCases(step, cases, otherwise, into: &list, next: next, around)
    case .flow(let steps, let data): entry = writeFlow(step, steps, data, into: &list, next: next, around)
    case .parallel(let branches): entry = writeParallel(step, branches, into: &list, next: next, around)
    }
    return writeConditions(of: step, into: &list, entry: entry, next: next, around)
  }

  // MARK: Names

  /// Returns the name of a state: unique because of the step's number, and at most 80 characters.
  mutating func name(_ step: FlowPlan.Step, _ suffix: String = "") -> String {
    let (prefix, suffix) = ("\(step.id + 1) ", suffix.isEmpty ? "" : ": \(suffix)")
    let room = 80 - prefix.utf16.count - suffix.utf16.count
    var short = ""
    for character in step.name.map({ $0.isNewline || $0.asciiValue.map { $0 < 0x20 } == true ? " " : $0 }) {
      if short.utf16.count + character.utf16.count > room { break }
      short.append(character)
    }
    let name = prefix + short + suffix
    steps[name] = step.path
    return name
  }

  /// Returns a state that only waits.
  private static func state(of pause: StepPause) -> StateList.State {
    switch pause {
    case .time(let time): ["Type": "Wait", "Seconds": .integer(time == .zero ? 0 : seconds(time))]
    case .date(let date): ["Type": "Wait", "Timestamp": .text(timestamp(date))]
    }
  }

  /// Returns a date in whole seconds, rounded up, and not before year 1, the first that the language accepts.
  private static func timestamp(_ date: Date) -> String {
    let first = -62_135_596_800.0
    return Date(timeIntervalSince1970: max(first, date.timeIntervalSince1970.rounded(.up))).ISO8601Format()
  }

  // MARK: Properties

  /// Returns the step's only output if the step answers with its value; otherwise `nil`.
  func writesOneValue(_ step: FlowPlan.Step) -> String? {
    guard soleWriters.contains(step.id), let name = step.writes?.first?.name else { return nil }
    return DataPath.isIdentifier(name) ? name : nil
  }

  /// Returns the steps that write one key, which nothing before them can have set.
  private static func soleWriters(of plan: FlowPlan) -> Set<Int> {
    var (seen, writers, isKnown) = (plan.initialNames, Set<Int>(), true)
    for step in (plan.steps + plan.always).flatMap(\.all) {
      switch step.kind {
      case .flow(_, let data): seen.formUnion(data.keys)
      // Items share no data, so a group writes only its outputs.
      case .group(let group): if let output = group.output { seen.insert(output) }
      case .work:
        guard let writes = step.writes else {
          isKnown = false
          continue
        }
        if isKnown, writes.count == 1, !seen.contains(writes[0].name) { writers.insert(step.id) }
        seen.formUnion(writes.map(\.name))
      case .cases, .parallel, .pause: break
      }
    }
    return writers
  }

  /// Returns a duration in whole seconds, rounded up, from 1 to the largest number that the language accepts.
  static func seconds(_ duration: Duration) -> Int {
    let (seconds, rest) = duration.clamped(to: .zero ... .seconds(99_999_999)).components
    return Int(max(1, seconds + (rest > 0 ? 1 : 0)))
  }
}
