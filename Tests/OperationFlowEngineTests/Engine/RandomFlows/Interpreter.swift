import TestSupport

@testable import OperationFlow
@testable import OperationFlowDurable

/// The expected effects of a flow, found by a walk through it, one step after the other, without an engine.
struct Interpreter {
  /// A part of the record.
  enum Part {
    /// A line at its place.
    case line(String)
    /// The lines of items that ran at the same time: each item's in order, mixed in any way.
    case items([[String]], width: Int)
    /// Items that ran at the same time until one of them stopped the flow; some of them may not have run.
    case stoppedItems(planned: [[String]], width: Int, endings: Set<String>)
    /// The parts of concurrent branches, with the part of each branch's path that identifies the branch.
    case branches([(path: String, parts: [Part])])
    /// Branches that ran at the same time while one of them stopped the flow.
    case stoppedBranches(endings: Set<String>)
  }

  typealias Entry = InterpretedValue

  /// The expected state of a step; a value is `nil` if it depends on chance.
  struct Fact {
    let name: String
    let end: FlowReport.StepEnd?
    /// The numbers of items to succeed, fail and be cancelled; `nil` for no group, or if they depend on chance.
    var items: [Int]?
  }

  private(set) var parts: [Part] = []
  /// The expected states of all steps, each before the steps within it.
  private(set) var facts: [Fact] = []
  /// The flow's end: the empty text for a success, `nil` while the flow continues.
  private(set) var ending: String?
  private let flow: RandomFlow
  private var bucket: [String: Entry] = [:]

  init(_ flow: RandomFlow) {
    self.flow = flow
    bucket = flow.values.mapValues { Entry($0) }
    for (key, works) in flow.works {
      bucket[key] = Entry(text: "[" + works.map(\.name).joined(separator: ", ") + "]", type: "Array<Work>")
    }
    say("[DataBucket] start with:" + listing)
    run(flow.steps)
    if ending == nil { ending = "" }
    runAlways()
    // If a branch stops the others, their progress depends on chance, and so do their writes.
    if case .stoppedBranches? = parts.last { return }
    say("[DataBucket] end with:" + listing)
  }

  /// Runs the flows for the end, which decide the ending only if the rest has succeeded.
  private mutating func runAlways() {
    for index in flow.orderOfAlways {
      let steps = flow.always[index]
      let failing = steps.firstIndex(of: true)
      facts.append(Fact(name: "always\(index)", end: failing == nil ? .succeeded : .failed))
      for step in steps.indices {
        let end: FlowReport.StepEnd =
          failing.map { step < $0 ? .succeeded : step == $0 ? .failed : .neverRan } ?? .succeeded
        facts.append(Fact(name: "always\(index).\(step)", end: end))
      }
      if failing != nil, ending == "" { ending = "TestError(always\(index))" }
    }
  }

  private var listing: String {
    bucket.sorted { $0.key < $1.key }.map { "\n\($0.key): \($0.value.text)" }.joined()
  }

  private mutating func say(_ line: String) { parts.append(.line(line)) }

  // MARK: Steps

  private mutating func run(_ steps: [RandomFlow.Step]) {
    for step in steps {
      guard ending == nil else {
        note(step, ending == "" ? .skipped : .neverRan)
        continue
      }
      run(step)
    }
  }

  private mutating func run(_ step: RandomFlow.Step) {
    switch step {
    case .operation(let script, let isObject): runOperation(script, isObject)
    case .group(let group): runGroup(group)
    case .cases(let branches):
      runCases(branches.map { ($0.condition.map { Condition(key: $0.key, values: [.text($0.value)]) }, $0.steps) })
    case .numberCases(let key, let branches, let otherwise):
      let typed = branches.map { branch in
        (Optional(Condition(key: key, values: branch.numbers.map(RandomValue.number))), branch.steps)
      }
      runCases(typed + (otherwise.map { [(nil, $0)] } ?? []))
    case .parallel(let name, let branches): runParallel(name, branches)
    case .conditional(let condition, let step): run(step, if: condition)
    }
  }

  private mutating func run(_ step: RandomFlow.Step, if condition: RandomFlow.Condition) {
    let source = "[\(step.name)] "
    switch condition.isMet(by: bucket) {
    case true?: run(step)
    case false?:
      let held = condition.typedKey.map { " " + describe($0.name, as: $0.type) } ?? ""
      say(source + "skipped: its condition is not met." + held)
      note(step, .skipped)
    case nil:
      guard case .fails(let name) = condition else { return }
      say(source + "DidFinish: withError: TestError(\(name))")
      let first = facts.count
      note(step, .neverRan)
      facts[first] = Fact(name: facts[first].name, end: .failed)
      ending = "TestError(\(name))"
    }
  }

  private mutating func runOperation(_ script: RandomOperation, _ isObject: Bool) {
    let result = InterpretedOperation(
      script, isObject ? script.care.once : script.care, source: "[\(script.name)]", outer: bucket)
    result.lines.forEach { say($0) }
    bucket = result.bucket
    let isCancelled = result.cancelsFlow || result.end == "cancelled"
    // An operation that cancels the flow may have decided its own end before.
    let end: FlowReport.StepEnd = isCancelled ? .cancelled : result.end == "" ? .succeeded : .failed
    facts.append(Fact(name: isObject ? script.name : "BlockOp", end: result.cancelsFlow ? nil : end))
    if result.cancelsFlow { ending = "cancelled" } else if result.end != "" { ending = result.end }
  }

  /// A branch's key, with the values that choose the branch.
  private struct Condition {
    let key: String
    let values: [RandomValue]

    var text: String { key + "=" + values.map { InterpretedValue($0).text }.joined(separator: "|") }
    var type: String { values.first.map { InterpretedValue($0).type } ?? "" }
  }

  private mutating func runCases(_ branches: [(condition: Condition?, steps: [RandomFlow.Step])]) {
    let match = branches.firstIndex { branch in
      guard let condition = branch.condition, let value = bucket[condition.key]?.value else { return false }
      return condition.values.contains(value)
    }
    let place = facts.count
    facts.append(Fact(name: "Cases", end: .succeeded))
    guard let taken = match ?? branches.firstIndex(where: { $0.condition == nil }) else {
      var keys: [String] = []
      for case let key? in branches.map(\.condition?.key) where !keys.contains(key) { keys.append(key) }
      let type = branches.lazy.compactMap(\.condition?.type).first ?? ""
      let held = keys.map { describe($0, as: type) }.joined(separator: " ")
      say("[Cases] no case is matched. finished in early. " + held)
      for branch in branches { note(branch.steps, .skipped) }
      ending = ""
      return
    }
    let branch = branches[taken]
    say("[Cases] chosen: " + (branch.condition?.text ?? "otherwise"))
    for (index, branch) in branches.enumerated() {
      if index == taken { run(branch.steps) } else { note(branch.steps, .skipped) }
    }
    facts[place] = Fact(name: "Cases", end: endOfCases(at: place))
  }

  /// Returns the end of cases after their branch has run; `nil` if the end depends on chance.
  private func endOfCases(at place: Int) -> FlowReport.StepEnd? {
    switch ending {
    case nil, "": .succeeded
    case "any of these": nil
    case "cancelled": facts[place...].contains { $0.end == nil } ? nil : .cancelled
    default: .failed
    }
  }

  // MARK: States of steps

  private mutating func note(_ steps: [RandomFlow.Step], _ end: FlowReport.StepEnd?) {
    for step in steps { note(step, end) }
  }

  /// Records the same state for a step and all steps within it.
  private mutating func note(_ step: RandomFlow.Step, _ end: FlowReport.StepEnd?) {
    switch step {
    case .conditional(_, let step): return note(step, end)
    case .operation, .group: facts.append(Fact(name: step.name, end: end))
    case .cases(let branches):
      facts.append(Fact(name: step.name, end: end))
      for branch in branches { note(branch.steps, end) }
    case .numberCases(_, let branches, let otherwise):
      facts.append(Fact(name: step.name, end: end))
      for branch in branches { note(branch.steps, end) }
      note(otherwise ?? [], end)
    case .parallel(let name, let branches):
      facts.append(Fact(name: name, end: end))
      for branch in branches { note(branch.steps, end) }
    }
  }

  private mutating func noteGroup(_ end: FlowReport.StepEnd?, _ items: [Int]? = nil) {
    facts.append(Fact(name: "FlowArrayGroupDispatcher", end: end, items: items))
  }

  private func describe(_ key: String, as type: String) -> String {
    guard let entry = bucket[key] else { return "<\(key)> is missing." }
    let mismatch = entry.type == type ? "" : " with type <\(entry.type)>, but NOT type <\(type)>"
    return "<\(key)> is <\(entry.text)>\(mismatch)."
  }

  private mutating func runParallel(_ name: String, _ branches: [RandomFlow.ParallelBranch]) {
    say("[\(name)] WillStart")
    let ends = branches.map { branch in
      var inner = self
      inner.parts = []
      inner.facts = []
      inner.run(branch.steps)
      return inner
    }
    let endings = ends.reduce(into: Set<String>()) { $0.formUnion($1.stoppingEndings) }
    guard endings.isEmpty else {
      note(.parallel(name, branches), nil)
      parts.append(.stoppedBranches(endings: endings))
      ending = "any of these"
      return
    }
    parts.append(.branches(zip(branches, ends).map { ("\(name) > \($0.name) > ", $1.parts) }))
    facts.append(Fact(name: name, end: .succeeded))
    for end in ends { facts += end.facts }
    // Each branch changes only names of its own.
    let before = bucket
    for end in ends {
      for key in Set(before.keys).union(end.bucket.keys) where end.bucket[key]?.text != before[key]?.text {
        bucket[key] = end.bucket[key]
      }
    }
    say("[\(name)] DidFinish: successfully")
  }

  /// The endings with which this branch may stop the flow; empty if the branch doesn't stop the flow.
  private var stoppingEndings: Set<String> {
    switch parts.last {
    case .stoppedItems(_, _, let endings), .stoppedBranches(let endings): endings
    default: [ending].compactMap(\.self).filter { !$0.isEmpty }.reduce(into: []) { $0.insert($1) }
    }
  }

  // MARK: Groups

  private mutating func runGroup(_ group: RandomFlow.Group) {
    let dispatcher = "[FlowArrayGroupDispatcher] "
    guard group.width >= 1 else {
      let problem = "maxConcurrentOperationCount is \(group.width). Give the group a width of at least 1."
      noteGroup(.failed)
      ending = "flow \"Flow\", step [FlowArrayGroupDispatcher]: " + problem
      return say(dispatcher + "DidFinish: withError: " + (ending ?? ""))
    }
    guard let works = flow.works[group.inputKey], group.inputKey != "b" else { return failPlanning(group) }
    say(dispatcher + "group created: \(works.count)")
    if works.isEmpty { say("[Group] no operation to run for group: <\(group.inputKey)> is empty") }
    let items = works.enumerated().map { index, script in
      InterpretedOperation(script, group.care, source: "[WorkOp #\(index + 1)]", outer: bucket, isItem: true)
    }
    guard runItems(items, group) else { return }
    let (succeeded, cancelled) = (items.count { $0.end == "" }, items.count { $0.end == "cancelled" })
    noteGroup(.succeeded, [succeeded, items.count - succeeded - cancelled, cancelled])
    let outputs = items.compactMap { $0.end == "" ? $0.written["output"] : nil }
    write(outputs, group.outputKey)
    let failures = [(items.count - succeeded - cancelled, "failed"), (cancelled, "cancelled")].filter { $0.0 > 0 }
    guard !failures.isEmpty else { return say(dispatcher + "all finished. output size: \(outputs.count)") }
    let texts = failures.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    say(dispatcher + "\(succeeded) of \(items.count) succeeded, " + texts)
  }

  /// Runs the items; returns true if the group reaches its end.
  private mutating func runItems(_ items: [InterpretedOperation], _ group: RandomFlow.Group) -> Bool {
    let stops = { (item: InterpretedOperation) in item.cancelsFlow || (item.end != "" && !group.toleratesFailure) }
    guard group.width > 1, items.count > 1 else {
      for (index, item) in items.enumerated() {
        item.lines.forEach { say($0) }
        guard stops(item) else { continue }
        let (succeeded, cancelled) = (
          items[...index].count { $0.end == "" }, items[...index].count { $0.end == "cancelled" }
        )
        let counts = [succeeded, index + 1 - succeeded - cancelled, cancelled]
        noteGroup(
          item.cancelsFlow || item.end == "cancelled" ? .cancelled : .failed, item.cancelsFlow ? nil : counts)
        if !item.cancelsFlow { say("[Group] not allow failure in group. stop immediately.") }
        ending = item.cancelsFlow ? "cancelled" : item.end
        return false
      }
      return true
    }
    guard items.contains(where: stops) else {
      parts.append(.items(items.map(\.lines), width: group.width))
      return true
    }
    // An item that another one has stopped may still cancel or fail, without effect.
    let endings = items.filter(stops).map { $0.cancelsFlow ? "cancelled" : $0.end }
    noteGroup(nil)
    parts.append(.stoppedItems(planned: items.map(\.lines), width: group.width, endings: Set(endings)))
    ending = "any of these"
    return false
  }

  private mutating func failPlanning(_ group: RandomFlow.Group) {
    noteGroup(.failed)
    let place = "flow \"Flow\", step [FlowArrayGroupDispatcher]: "
    guard let entry = bucket[group.inputKey] else {
      let problem = "can't find <\(group.inputKey)> in data bucket"
      let remedy = "Set <\(group.inputKey)> in the flow's data bucket, or in a step that comes before."
      ending = place + problem + ". " + remedy
      return say("[FlowArrayGroupDispatcher] DidFinish: withInsufficientInputData: " + problem)
    }
    let asked = "Array<Any>"
    let problem = "<b> in data bucket is <\(entry.text)> with type <\(entry.type)>, but NOT type <\(asked)>."
    ending = place + problem + " Write a value of type \(asked) under <b>, or read it as \(entry.readable)."
    say("[FlowArrayGroupDispatcher] DidFinish: withMismatchInputDataType: " + problem)
  }

  /// Returns the name that errors have for the type of an array.
  private static func typeOfArray(_ values: [RandomValue]) -> String {
    let isText = { (value: RandomValue) in if case .text = value { true } else { false } }
    if values.allSatisfy(isText) { return "Array<String>" }
    return values.contains(where: isText) ? "array" : "Array<Int>"
  }

  private mutating func write(_ outputs: [RandomValue], _ key: String) {
    let texts = outputs.map { value in
      if case .text(let text) = value { "\"\(text)\"" } else { Entry(value).text }
    }
    let text = "[" + texts.joined(separator: ", ") + "]"
    let old = bucket.updateValue(Entry(text: text, type: Self.typeOfArray(outputs)), forKey: key)
    say("[DataBucket] " + (old.map { "replace for \(key): \($0.text) -> \(text)" } ?? "add for \(key): \(text)"))
  }
}
