/// Finds in one pass that the steps of a flow have no errors, which is so for most flows; the others are walked.
///
/// It knows only flows without anything but operations and closures, each of which runs. In these, what a step finds under
/// a name is what the last step before it has written there, or else what the data holds.
struct QuickCheck {
  private let data: [String: any Sendable]
  /// The types of what steps have written; `nil` for a type that isn't known.
  private var written: [String: Any.Type?] = [:]
  /// Whether a step may have written anything, so that a name that isn't known may hold anything.
  private var isOpen: Bool
  /// What the last step declares, if it would pass again.
  private var last: StepPorts?

  /// Whether the steps certainly have no errors; `mayHoldMore` means that more may be added to the data.
  static func passes(
    _ blueprint: Blueprint, _ ports: [StepPorts], data: [String: any Sendable], mayHoldMore: Bool
  ) -> Bool {
    guard blueprint.hasOnlyWork, !blueprint.hasSpecialSteps, blueprint.blocks.count == 1 else { return false }
    if blueprint.declaresNothing { return true }
    var check = QuickCheck(data: data, isOpen: mayHoldMore)
    return blueprint.blocks[Blueprint.root].steps.allSatisfy { check.passes(ports[$0]) }
  }

  private init(data: [String: any Sendable], isOpen: Bool) { (self.data, self.isOpen) = (data, isOpen) }

  /// Whether a step has no errors, after which it counts as done.
  private mutating func passes(_ ports: StepPorts) -> Bool {
    if ports.areUndeclared {
      forgetAll()
      return true
    }
    // The same step again finds what it found, and writes what it wrote.
    if last === ports { return true }
    guard ports.typeWithHiddenPorts == nil, ports.inputs.allSatisfy(fits) else { return false }
    if ports.mayWriteAnything { forgetAll() }
    for output in ports.outputs { written[output.name] = .some(output.type) }
    last = ports.readsItsOutputs ? nil : ports
    return true
  }

  private mutating func forgetAll() {
    if !written.isEmpty { written = [:] }
    (isOpen, last) = (true, nil)
  }

  /// Whether a required input finds a value that it can read; any other can do without.
  private func fits(_ input: InputPort) -> Bool {
    guard input.isRequired else { return true }
    if let type = written[input.name] {
      return type.map { !TypeFit.isImpossible($0, as: input.type ?? [Any].self) } ?? true
    }
    if isOpen { return true }
    return data[input.name].flatMap(unwrapped).map(input.accepts) ?? false
  }
}
