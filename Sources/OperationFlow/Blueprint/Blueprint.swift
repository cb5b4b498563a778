/// The finished tree of a flow: a value that can be checked, drawn and run.
///
/// The tree is stored in two arrays and refers to itself by index, so that neither walking nor freeing it recurses.
package struct Blueprint: Sendable {
  package typealias StepID = Int
  package typealias BlockID = Int

  package struct Block: Sendable {
    package var steps: [StepID]
    fileprivate(set) var weight = 0
    /// The number of steps before and after these that were left out, so that the numbers in paths stay as they are.
    package var omittedBeforeCount = 0
    package var omittedAfterCount = 0
    /// Blocks of one step each that run at the end of the run, if this block was started.
    package var always: [BlockID] = []
    var mayBeEmpty = false
    /// The number of steps in the block at each `combine()` that found no cases.
    var looseCombines: [Int] = []
    /// The methods that were called on a branch or an inner flow, and have an effect only in a flow that is run.
    var ignoredOptions: [IgnoredOption] = []
    /// The names of the data that was set on a branch.
    var ignoredNames: Set<String> = []

    package init(steps: [StepID] = []) { self.steps = steps }

    var isUnfilled: Bool { steps.isEmpty && always.isEmpty && !mayBeEmpty }
  }

  package struct Step: Sendable {
    package enum Kind: Sendable {
      case operation(OperationSource)
      case closure(StepClosure)
      case group(GroupStep)
      case cases(Cases)
      /// A flow that is a step, with its initial data.
      indirect case flow(BlockID, data: [String: any Sendable], sensitiveNames: Set<String>)
      case parallel([(name: String, block: BlockID)])

      /// True for a closure, and for a group whose items run a closure.
      var isClosure: Bool {
        switch self {
        case .closure: return true
        case .group(let group):
          if case .operation = group.body { return false }
          return true
        case .operation, .cases, .flow, .parallel: return false
        }
      }
    }

    package let name: String
    package var kind: Kind
    /// The options are behind one reference, because a step is copied often and has many of them.
    private var boxedOptions: Box<StepOptions>?
    /// True if the steps within it run at the end of a run, whatever happened.
    package let isAlways: Bool

    package init(name: String, kind: Kind, options: StepOptions? = nil, isAlways: Bool = false) {
      self.name = name
      self.kind = kind
      self.isAlways = isAlways
      self.options = options
    }

    package var options: StepOptions? {
      get { boxedOptions?.value }
      set { boxedOptions = newValue.map(Box.init) }
    }

    package var weight: Int { options?.weight ?? 1 }

    package mutating func changeOptions(_ change: (inout StepOptions) -> Void) {
      var changed = options ?? StepOptions()
      change(&changed)
      options = changed
    }

    /// Replaces the step's work with a closure that does nothing.
    package mutating func clear() { self = Step(name: name, kind: .closure(.sync { _ in })) }

    var instance: OperationInstance? { if case .operation(.instance(let instance)) = kind { instance } else { nil } }

    package var innerBlocks: [BlockID] {
      switch kind {
      case .operation, .closure, .group: []
      case .flow(let block, _, _): [block]
      case .cases(let cases): cases.branches.map(\.block)
      case .parallel(let branches): branches.map(\.block)
      }
    }

    fileprivate func moved(byBlocks offset: Int) -> Step {
      var step = self
      switch kind {
      case .operation, .closure, .group: break
      case .flow(let block, let data, let names): step.kind = .flow(block + offset, data: data, sensitiveNames: names)
      case .cases(var cases):
        for index in cases.branches.indices { cases.branches[index].block += offset }
        step.kind = .cases(cases)
      case .parallel(let branches): step.kind = .parallel(branches.map { ($0.name, $0.block + offset) })
      }
      return step
    }
  }

  package enum StepClosure: Sendable {
    case sync(@Sendable (FlowContext) throws -> Void)
    case async(@Sendable (FlowContext) async throws -> Void)
  }

  package struct Cases: Sendable {
    package var branches: [Branch] = []
    /// True if the flow continues after the branches; otherwise later steps belong to the last branch.
    var areCombined = false
    /// A few values of the key's type that no branch is for, as written in code; `nil` if they can't be listed.
    var missingValues: [String]?
  }

  package struct Branch: Sendable {
    package let condition: FlowCase
    package fileprivate(set) var block: BlockID
  }

  package static let root: BlockID = 0

  package private(set) var steps: [Step] = []
  private(set) var stepProperties: [StepProperties] = []
  package private(set) var blocks = [Block()]
  private(set) var instanceSteps: [StepID] = []
  private var marks: StepMarks = []

  init() {}

  /// Creates a blueprint whose first block is the outermost; steps in no block should do nothing.
  package init(_ steps: [Step], _ blocks: [Block]) {
    self.steps = steps
    self.blocks = blocks
    for (id, step) in steps.enumerated() { addProperties(of: step, id) }
    for block in blocks.indices { self.blocks[block].weight = blocks[block].steps.reduce(0) { $0 + steps[$1].weight } }
  }

  /// Returns true if any of the steps has the mark.
  package func has(_ mark: StepMarks) -> Bool { marks.contains(mark) }

  var hasOnlyWork: Bool { !has(.compound) }
  var declaresNothing: Bool { !has(.declarations) }
  var isEmpty: Bool { steps.isEmpty && blocks.count == 1 }

  mutating func addBlock() -> BlockID {
    blocks.append(Block())
    return blocks.count - 1
  }

  mutating func add(_ step: consuming Step, to block: BlockID) -> StepID {
    let id = steps.count
    addProperties(of: step, id)
    blocks[block].steps.append(id)
    blocks[block].weight += step.weight
    steps.append(step)
    return id
  }

  private mutating func addProperties(of step: borrowing Step, _ id: StepID) {
    let properties = StepProperties(step)
    stepProperties.append(properties)
    marks.formUnion(properties.marks)
    if properties.marks.contains(.instance) { instanceSteps.append(id) }
  }

  /// Returns true if the step has at least one of the marks.
  func has(any some: StepMarks, at step: StepID) -> Bool {
    !stepProperties[step].marks.isDisjoint(with: some)
  }

  func isLimited(_ step: StepID) -> Bool { has(any: .limits, at: step) }

  func precedence(of step: StepID) -> Int { features(of: step).reduce(0) { $0 + $1.precedence } }

  func features(of step: StepID) -> [any StepFeature] { steps[step].options?.features ?? [] }

  /// Creates the state that a run has for operations that wait; returns `nil` if no operation waits.
  func makeWaits() -> (any RunWaits)? {
    has(.features) ? steps.indices.lazy.flatMap(features).compactMap { $0.makeWaits() }.first : nil
  }

  mutating func changeCases(_ step: StepID, _ change: (inout Cases) -> Void) {
    guard case .cases(var cases) = steps[step].kind else { return }
    change(&cases)
    steps[step].kind = .cases(cases)
  }

  mutating func changeRoot(_ change: (inout Block) -> Void) { change(&blocks[Blueprint.root]) }

  /// Copies another blueprint, its outermost block into `block`; returns the offset of its other blocks.
  mutating func append(_ other: Blueprint, into block: BlockID) -> Int {
    let firstStep = steps.count
    let offset = blocks.count - 1
    for step in other.steps {
      addProperties(of: step, steps.count)
      steps.append(step.moved(byBlocks: offset))
    }
    for (id, inner) in other.blocks.enumerated() {
      var moved = inner
      moved.steps = inner.steps.map { $0 + firstStep }
      moved.always = inner.always.map { $0 + offset }
      if id == Blueprint.root { blocks[block] = moved } else { blocks.append(moved) }
    }
    return offset
  }
}

/// A reference to a value.
private final class Box<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}

/// A reference to a finished blueprint, because a copy of the value counts the references to each of its arrays.
package final class SharedBlueprint: Sendable {
  let value: Blueprint

  package init(_ value: Blueprint) { self.value = value }
}

extension Blueprint {
  /// Returns the paths of all steps; the value of a branch's key is hidden if the key is in `sensitiveNames`.
  func makePaths(hiding sensitiveNames: Set<String>) -> PathTable {
    // Steps are read by index, because copying a step counts references.
    var nodes = steps.indices.map { PathTable.Node(parent: nil, number: nil, name: steps[$0].name) }
    var owners = [Int?](repeating: nil, count: blocks.count)
    for id in steps.indices where blocks.count > 1 {
      // Numbers distinguish branches with the same text.
      var counts = [String: Int]()
      func add(_ block: BlockID, _ text: String, _ condition: FlowCase? = nil) {
        owners[block] = nodes.count
        var node = PathTable.Node(parent: id, number: nil, name: Self.unique(text, &counts))
        // A key may turn out to be sensitive during the run.
        if let condition, let key = condition.key, case let hidden = condition.text(hiding: [key]), hidden != text {
          node.secret = PathTable.Secret(key: key, hiddenName: Self.unique(hidden, &counts))
        }
        nodes.append(node)
      }
      switch steps[id].kind {
      case .operation, .closure, .group: break
      case .flow(let block, _, _): owners[block] = id
      case .cases(let cases):
        for branch in cases.branches {
          add(branch.block, branch.condition.text(hiding: sensitiveNames), branch.condition)
        }
      case .parallel(let branches): for branch in branches { add(branch.block, branch.name) }
      }
    }
    for (block, owner) in zip(blocks, owners) {
      for (number, step) in zip((block.omittedBeforeCount + 1)..., block.steps) {
        nodes[step].parent = owner
        nodes[step].number = number
      }
    }
    // The `always` steps are numbered after the other steps of the block that they belong to, not in their own blocks.
    for (block, owner) in zip(blocks, owners) where has(.always) {
      let count = block.omittedBeforeCount + block.steps.count + block.omittedAfterCount
      for (number, wrapper) in zip((count + 1)..., block.always) {
        for step in blocks[wrapper].steps {
          nodes[step].parent = owner
          nodes[step].number = number
          nodes[step].isAtEnd = true
        }
      }
    }
    return PathTable(nodes, blocks: owners.enumerated().compactMap { block, owner in owner.map { (block, $0) } })
  }

  private static func unique(_ text: String, _ counts: inout [String: Int]) -> String {
    let count = counts[text, default: 0] + 1
    counts[text] = count
    return count == 1 ? text : "\(text) (\(count))"
  }
}
