/// Finds in one pass that the steps of a flow have no errors, which is so for most flows; the others are walked.
///
/// In a flow of nothing but operations and closures, a step finds under a name what the last step before it has written, or
/// else the data. So the pass is made once for a flow, and finds what the data of each run has to hold.
struct QuickCheck {
  private var needed: [StepPort] = []
  /// What has been written last under each name.
  private var written = [String: StepPort]()
  /// Whether a step may have written anything.
  private var isOpen = false
  /// Whether a step may be skipped, so that what is read from there on is left to the walk.
  private var mayHaveSkipped = false
  /// What the last step declares, if it would pass again.
  private var last: StepPorts?

  /// The required inputs that only data can fill; `nil` if the steps may have errors whatever the data.
  static func neededInputs(_ blueprint: Blueprint, _ ports: [StepPorts]) -> [StepPort]? {
    guard blueprint.hasOnlyWork, blueprint.blocks.count == 1 else { return nil }
    if blueprint.declaresNothing { return [] }
    var check = QuickCheck()
    for id in blueprint.blocks[Blueprint.root].steps {
      if blueprint.has(.traits), let options = blueprint.steps[id].options {
        if !options.mistakes.isEmpty { return nil }
        if !options.conditions.isEmpty { check.mayHaveSkipped = true }
      }
      guard check.passes(ports[id]) else { return nil }
    }
    return check.needed
  }

  /// Whether there is a value for each input that it accepts.
  static func fills(_ inputs: [StepPort], _ data: FlowData) -> Bool {
    // No value is an optional: it was unwrapped when it was set.
    inputs.allSatisfy { input in data.entries[input.name].map { input.accepts($0.value) } ?? false }
  }

  /// Whether a step has no errors if the data is right, after which it counts as done.
  private mutating func passes(_ ports: StepPorts) -> Bool {
    // The same step again finds what it found, and writes what it wrote.
    if last === ports { return true }
    guard ports.typeWithHiddenPorts == nil, ports.inputs.allSatisfy({ fits($0) }) else { return false }
    if ports.mayWriteAnything {
      written = [:]
      isOpen = true
    }
    for output in ports.outputs { written[output.name] = output }
    last = ports.readsItsOutputs ? nil : ports
    return true
  }

  /// Whether a required input may find a value that it can read; any other can do without.
  private mutating func fits(_ input: StepPort) -> Bool {
    if !input.isRequired || mayHaveSkipped { return !input.isRequired }
    if let output = written[input.name] {
      return output.type.map { !TypeFit.isImpossible($0, as: input.type ?? [Any].self) } ?? true
    }
    if !isOpen { needed.append(input) }
    return true
  }
}
