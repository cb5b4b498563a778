/// Turns the builder's calls, one after the other, into a draft.
struct BlueprintBuilder: Sendable {
  /// A flow with more steps is shared until all is finished, rather than copied.
  private static let largestCopy = 256

  private var draft = Blueprint()
  /// The flows whose steps are still to be taken over.
  private var inner: [InnerFlow.Place] = []
  private var namelessGroupCount = 0
  /// Where the next step goes.
  private var block = Blueprint.root
  /// The cases whose branches are being added, with the block that goes on after `combine()`.
  private var open: (step: Blueprint.StepID, parent: Blueprint.BlockID)?

  init() {}

  /// Takes a finished blueprint as what was built so far.
  init(_ blueprint: Blueprint) { draft = blueprint }

  /// Adds a step: as the first of a branch if it has a condition, else behind the last step.
  mutating func add(_ step: Blueprint.Step, condition: FlowCase?) {
    if let condition {
      let cases = openCases()
      block = draft.addBlock()
      draft.addBranch(Blueprint.Branch(condition: condition, block: block), to: cases)
    }
    _ = draft.add(step, to: block)
  }

  /// The branches meet; without open cases nothing happens.
  mutating func combine() {
    guard let open else { return draft.noteLooseCombine() }
    draft.combineCases(open.step)
    block = open.parent
    self.open = nil
  }

  private mutating func openCases() -> Blueprint.StepID {
    if let open { return open.step }
    let step = draft.add(Blueprint.Step(name: "Cases", kind: .cases(Blueprint.Cases())), to: block)
    open = (step, block)
    return step
  }

  /// Adds a cases step whose branches are flows of their own; it is whole at once and needs no `combine()`.
  mutating func addCases(
    _ branches: [(condition: FlowCase, flow: InnerFlow)], _ options: StepOptions = StepOptions()
  ) {
    let placed = branches.map {
      Blueprint.Branch(condition: $0.condition, block: place($0.flow, named: $0.condition.text))
    }
    let kind = Blueprint.Step.Kind.cases(Blueprint.Cases(branches: placed, areCombined: true))
    _ = draft.add(Blueprint.Step(name: options.name ?? "Cases", kind: kind, options: options), to: block)
  }

  /// Adds a step whose branches run at once and meet.
  mutating func addParallel(_ name: String, _ branches: [(name: String, flow: InnerFlow)]) {
    let placed = branches.map { branch in
      Blueprint.ParallelBranch(name: branch.name, block: place(branch.flow, named: "\(name) > \(branch.name)"))
    }
    add(Blueprint.Step(name: name, kind: .parallel(placed)), condition: nil)
  }

  /// Adds another flow as a step.
  mutating func addFlow(_ flow: FlowSnapshot, condition: FlowCase?, _ options: StepOptions = StepOptions()) {
    let block = place(flow.inner, named: flow.name)
    let kind = Blueprint.Step.Kind.flow(block, data: flow.data, sensitiveNames: flow.sensitiveNames)
    add(Blueprint.Step(name: options.name ?? flow.name, kind: kind, options: options), condition: condition)
  }

  mutating func setWeightOfLastStep(_ weight: Int) {
    draft.setWeight(weight, ofLastStepIn: block)
  }

  /// How many groups over sequences have been added without a name, this one among them.
  mutating func countNamelessGroup() -> Int {
    namelessGroupCount += 1
    return namelessGroupCount
  }
}

// MARK: Finishing

extension BlueprintBuilder {
  /// Whether the steps of all inner flows have been taken over.
  var isFinished: Bool { inner.isEmpty }

  /// What was built, with the steps of all inner flows.
  var blueprint: Blueprint {
    var finished = self
    finished.finish()
    return finished.draft
  }

  /// Takes over the steps of all inner flows.
  ///
  /// It is done once for all levels, since every level would copy all that is below it.
  mutating func finish() {
    guard !isFinished else { return }
    var waiting = inner.map { (place: $0, parent: Int?.none) }
    var names: [(name: String, parent: Int?)] = []
    inner = []
    while let (place, parent) = waiting.popLast() {
      let builder = place.flow.builder
      names.append((place.name, parent))
      let (index, offset) = (names.count - 1, draft.take(builder.draft, into: place.block))
      for loose in builder.draft.looseCombines { draft.noteLooseCombine(at: Self.path(index, names, loose)) }
      for deeper in builder.inner {
        waiting.append((InnerFlow.Place(deeper.flow, deeper.block + offset, deeper.name), index))
      }
    }
  }

  private static func path(_ start: Int, _ names: [(name: String, parent: Int?)], _ last: String) -> String {
    var parts = [last]
    var next: Int? = start
    while let index = next {
      parts.append(names[index].name)
      next = names[index].parent
    }
    return parts.reversed().joined(separator: " > ")
  }

  /// Makes room for the steps of a flow; those of a large one are shared for now, and taken over when all is finished.
  private mutating func place(_ flow: InnerFlow, named name: String) -> Blueprint.BlockID {
    let block = draft.addBlock()
    let place = InnerFlow.Place(flow, block, name)
    guard flow.builder.isFinished, flow.builder.draft.steps.count <= Self.largestCopy else {
      inner.append(place)
      return block
    }
    for loose in flow.builder.draft.looseCombines { draft.noteLooseCombine(at: "\(name) > \(loose)") }
    _ = draft.take(flow.builder.draft, into: block)
    return block
  }

  /// Hands out the flows whose steps are still to be taken over.
  fileprivate mutating func takeInner() -> [InnerFlow] {
    defer { inner = [] }
    return inner.map(\.flow)
  }
}

/// What a flow is at the moment when it becomes a step of another.
struct FlowSnapshot: Sendable {
  let name: String
  let inner: InnerFlow
  let data: [String: any Sendable]
  let sensitiveNames: Set<String>
}

/// What was built of a flow when it became a part of another: shared by all that hold it, and never copied.
final class InnerFlow: @unchecked Sendable {
  // Invariant: changed only in a `deinit`, when nothing else refers to it.
  fileprivate var builder: BlueprintBuilder

  /// A flow within another, with the block that its steps are to fill.
  struct Place: Sendable {
    let flow: InnerFlow
    let block: Blueprint.BlockID
    /// What it is called in the place of a problem.
    let name: String

    init(_ flow: InnerFlow, _ block: Blueprint.BlockID, _ name: String) {
      (self.flow, self.block, self.name) = (flow, block, name)
    }
  }

  init(_ builder: BlueprintBuilder) { self.builder = builder }

  convenience init(_ blueprint: Blueprint) { self.init(BlueprintBuilder(blueprint)) }

  deinit {
    // One flow freed within the other would overflow the stack if they nest deep.
    var waiting = builder.takeInner()
    while var next = waiting.popLast() {
      if isKnownUniquelyReferenced(&next) { waiting += next.builder.takeInner() }
    }
  }
}
