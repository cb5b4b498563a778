/// Adds the steps of the builder's calls to a draft, one call at a time.
package struct BlueprintBuilder: Sendable {
  /// The largest number of steps that is copied before the blueprint is finished; until then, larger flows are shared.
  private static let largestCopy = 256

  private var draft: Blueprint
  /// Flows whose steps aren't copied yet.
  private var inner: [(flow: InnerFlow, block: Blueprint.BlockID)] = []
  private var namelessGroupCount = 0
  private var block = Blueprint.root
  /// The cases whose branches are being added, and the block that continues after `combine()`.
  private var open: (step: Blueprint.StepID, parent: Blueprint.BlockID)?

  package init(_ blueprint: Blueprint = Blueprint()) { draft = blueprint }

  /// Adds a step: with a condition, as the first step of a branch; otherwise, after the last step.
  mutating func add(_ step: consuming Blueprint.Step, condition: FlowCase?) {
    if let condition {
      let cases = open ?? (draft.add(Blueprint.Step(name: "Cases", kind: .cases(Blueprint.Cases())), to: block), block)
      open = cases
      block = draft.addBlock()
      draft.changeCases(cases.step) { $0.branches.append(Blueprint.Branch(condition: condition, block: block)) }
    }
    _ = draft.add(step, to: block)
  }

  mutating func combine() {
    guard let open else { return draft.changeRoot { $0.looseCombines.append($0.steps.count) } }
    draft.changeCases(open.step) { $0.areCombined = true }
    block = open.parent
    self.open = nil
  }

  /// Adds a cases step whose branches are flows, so that it needs no `combine()`.
  mutating func addCases(
    _ branches: [(condition: FlowCase, flow: InnerFlow)], _ options: StepOptions? = nil, missing: [String]? = nil
  ) {
    let placed = branches.map { Blueprint.Branch(condition: $0.condition, block: place($0.flow)) }
    let kind = Blueprint.Step.Kind.cases(Blueprint.Cases(branches: placed, areCombined: true, missingValues: missing))
    _ = draft.add(Blueprint.Step(name: options?.name ?? "Cases", kind: kind, options: options), to: block)
  }

  mutating func addParallel(
    _ name: String, _ branches: [(name: String, flow: InnerFlow)], _ options: StepOptions? = nil
  ) {
    let placed = branches.map { (name: $0.name, block: place($0.flow)) }
    add(Blueprint.Step(name: options?.name ?? name, kind: .parallel(placed), options: options), condition: nil)
  }

  mutating func addFlow(
    _ name: String, _ flow: InnerFlow, data: [String: any Sendable] = [:], sensitiveNames: Set<String> = [],
    _ options: StepOptions? = nil
  ) {
    let kind = Blueprint.Step.Kind.flow(place(flow), data: data, sensitiveNames: sensitiveNames)
    add(Blueprint.Step(name: options?.name ?? name, kind: kind, options: options), condition: nil)
  }

  /// Adds steps that run at the end of the run, whatever happened; they belong to the flow, even while cases are open.
  mutating func addAlways(_ name: String, _ flow: InnerFlow) {
    let kind = Blueprint.Step.Kind.flow(place(flow), data: [:], sensitiveNames: [])
    let wrapper = draft.addBlock()
    _ = draft.add(Blueprint.Step(name: name, kind: kind, isAlways: true), to: wrapper)
    draft.changeRoot { $0.always.append(wrapper) }
  }

  mutating func addNothing() { draft.changeRoot { $0.mayBeEmpty = true } }

  /// Records the methods and names that have no effect if the flow is a part of another one.
  mutating func recordIgnored(_ options: [IgnoredOption], names: Set<String>) {
    draft.changeRoot { ($0.ignoredOptions, $0.ignoredNames) = (options, names) }
  }

  /// Returns a name for a group without a name and a key; each of these groups has another name in a summary.
  mutating func nameGroup() -> String {
    namelessGroupCount += 1
    return namelessGroupCount == 1 ? "forEach" : "forEach (\(namelessGroupCount))"
  }

  /// Copies the steps of all inner flows, once for all levels: each level would copy those below it again.
  mutating func finish() -> Blueprint {
    var waiting = exchange(&inner, with: [])
    while let (flow, block) = waiting.popLast() {
      let offset = draft.append(flow.builder.draft, into: block)
      waiting += flow.builder.inner.map { ($0.flow, $0.block + offset) }
    }
    return draft
  }

  /// Adds a block for the steps of a flow, and copies the steps unless there are many.
  private mutating func place(_ flow: InnerFlow) -> Blueprint.BlockID {
    let block = draft.addBlock()
    if flow.builder.inner.isEmpty, flow.builder.draft.steps.count <= Self.largestCopy {
      _ = draft.append(flow.builder.draft, into: block)
    } else {
      inner.append((flow, block))
    }
    return block
  }

  fileprivate mutating func takeInner() -> [InnerFlow] { exchange(&inner, with: []).map(\.flow) }
}

/// The builder of a flow that became part of another; it is shared by all references, and never copied.
final class InnerFlow: @unchecked Sendable {
  // Invariant: changed only in a `deinit`, when there is no other reference to it.
  fileprivate var builder: BlueprintBuilder

  init(_ builder: BlueprintBuilder) { self.builder = builder }

  deinit {
    // Freeing one flow within another would overflow the stack if they are nested deeply.
    var waiting = builder.takeInner()
    while var next = waiting.popLast() {
      if isKnownUniquelyReferenced(&next) { waiting += next.builder.takeInner() }
    }
  }
}
