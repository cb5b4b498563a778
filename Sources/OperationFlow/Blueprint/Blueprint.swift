/// The finished tree of a flow: a value that can be checked, drawn and run.
///
/// The tree lies in two arrays and refers to itself by index, so that neither walking it nor freeing it recurses,
/// however many steps it has.
struct Blueprint: Sendable {
  typealias StepID = Int
  typealias BlockID = Int

  /// Steps that run one after the other.
  struct Block: Sendable {
    var steps: [StepID] = []
  }

  struct Step: Sendable {
    enum Kind: Sendable {
      case operation(OperationSource)
      case group(GroupStep)
      case cases([Branch])
    }

    let name: String
    var kind: Kind
  }

  struct GroupStep: Sendable {
    let creator: any FlowOperationCreator.Type
    let dispatcher: any FlowGroupDispatcher
  }

  struct Branch: Sendable {
    let condition: FlowCase
    let block: BlockID
  }

  static let root: BlockID = 0

  private(set) var steps: [Step] = []
  private(set) var blocks = [Block()]

  mutating func addBlock() -> BlockID {
    blocks.append(Block())
    return blocks.count - 1
  }

  mutating func add(_ step: Step, to block: BlockID) -> StepID {
    steps.append(step)
    blocks[block].steps.append(steps.count - 1)
    return steps.count - 1
  }

  mutating func addBranch(_ branch: Branch, to step: StepID) {
    guard case .cases(let branches) = steps[step].kind else { return }
    steps[step].kind = .cases(branches + [branch])
  }

  // MARK: Operations that were made beforehand

  /// Keeps all operations that were made beforehand for one run, or none: then the step whose operation is not free.
  func reserveInstances() -> Step? {
    for (index, step) in steps.enumerated() {
      guard let instance = step.instance, !instance.reserve() else { continue }
      for earlier in steps[..<index] { earlier.instance?.giveBack() }
      return step
    }
    return nil
  }

  /// Ends the operations that a run reserved and never started, so that nobody waits for them.
  func discardInstances() {
    for step in steps { step.instance?.take()?.discard() }
  }
}

extension Blueprint.Step {
  fileprivate var instance: OperationInstance? {
    if case .operation(.instance(let instance)) = kind { instance } else { nil }
  }
}
