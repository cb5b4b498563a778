import OperationFlow
import OperationFlowDurable

/// A flow as data.
///
/// The reference model can compute all its paths and their data.
struct CheckedFlow: Sendable {
  enum Value: Sendable, Hashable {
    case number, text

    var stored: any Sendable {
      switch self {
      case .number: 1
      case .text: "text"
      }
    }
  }

  indirect enum Step: Sendable {
    /// Declares an output.
    case write(String, Value)
    /// Declares an input and an output.
    case copy(String, to: String)
    /// Declares an input and an output, and recovers if the input is missing.
    case tryToCopy(String, to: String)
    /// Waits for a nanosecond.
    case wait
    /// Declares nothing; writes, or removes.
    case secret(String, Value?)
    /// Declares an array's input and output, and accepts any array.
    case group(into: String)
    /// Branches; the one without a condition is chosen if no other is.
    case cases([(condition: (key: String, value: String)?, steps: [Step])], isStructured: Bool)
    case flow([Step], data: [String: Value])
    /// Steps that run if keys have values. Validation can't evaluate a condition that is a closure.
    case guarded([(key: String, value: String)], [Step], isTyped: Bool)
    /// Writes a key that isn't there at first, with the value of another key that no other step compares.
    case choose(String, from: String)
    /// Parallel branches: the first writes and reads only `a` and the late key, the second everything else.
    case parallel([Step], [Step])
  }

  /// A key that cases compare, and that is there only after a step that writes it.
  static let lateKey = "late"

  static let names = ["a", "b", "c"]
  static let caseValues = ["A", "B", "other"]

  /// The type of the keys whose names begin with `f`.
  ///
  /// It has only these values.
  enum Letter: String, CaseIterable { case A, B }

  static func isOfLetters(_ key: String) -> Bool { key.hasPrefix("f") }

  /// Returns what a key stores for a value.
  static func stored(_ value: String, under key: String) -> any Sendable {
    isOfLetters(key) ? Letter(rawValue: value) ?? Letter.B : value
  }

  var data: [String: Value] = [:]
  var steps: [Step] = []
  /// True if every step declares what it writes.
  var isDeclared = true
  /// The keys that its cases compare.
  var caseKeys: Set<String> = []

  /// True if the flow has no conditions, so that all runs do the same.
  var hasOnePath: Bool {
    steps.allSatisfy { step in
      switch step {
      case .write, .copy, .group, .choose, .wait: true
      case .tryToCopy, .secret, .cases, .flow, .guarded, .parallel: false
      }
    }
  }

  // MARK: As a flow

  /// Builds the flow.
  ///
  /// With `hidden`, an undeclared step before all others disables the checks, so that faulty flows run.
  func build(hidden: Bool = false) -> Flow {
    let flow = Flow()
    let others = Dictionary(uniqueKeysWithValues: caseKeys.map { ($0, Self.stored("other", under: $0)) })
    flow.setDataBucket(dataBucket: data.mapValues(\.stored).merging(others) { $1 })
    if hidden { flow.add("hide") { _ in } }
    Self.add(steps, to: flow)
    return flow
  }

  private static func trait<Value: Hashable>(
    on key: FlowKey<Value>, _ value: Value, _ isTyped: Bool
  ) -> StepTrait<FlowStep.Composite> {
    isTyped ? .when(key, is: value) : .when { $0[key] == value }
  }

  private static func add<Value>(
    _ branches: [(condition: (key: String, value: String)?, steps: [Step])], to cases: FlowCases<Value>,
    _ value: (String) -> Value
  ) {
    for branch in branches {
      if let text = branch.condition?.value {
        cases.when(value(text)) { add(branch.steps, to: $0) }
      } else {
        cases.otherwise { add(branch.steps, to: $0) }
      }
    }
  }

  private static func add(_ steps: [Step], to flow: Flow, first: FlowCase? = nil) {
    var condition = first
    for step in steps {
      if let first = condition {
        flow.add(operation: SuccessOp(), .writesNothing, flowCase: first)
        condition = nil
      }
      switch step {
      case .write(let name, .number): flow.add(WriteOp(name))
      case .write(let name, .text): flow.add(WriteTextOp(name))
      // A closure with the same declarations is equivalent to the operation.
      case .copy(let source, let target) where source < target:
        let (source, target) = (FlowKey<Int>(source), FlowKey<Int>(target))
        flow.add("copy", .reads(source), .writes(target)) { $0[target] = try $0.require(source) }
      case .copy(let source, let target): flow.add(CopyOp(source, to: target))
      case .tryToCopy(let source, let target): flow.add(CopyOp(source, to: target), .recover { _, _ in })
      case .wait: flow.wait(.nanoseconds(1))
      case .secret(let name, let value):
        flow.add("secret") { context in
          switch value {
          case .number: context[FlowKey(name)] = 1
          case .text: context[FlowKey(name)] = "text"
          case nil: context[FlowKey<Int>(name)] = nil
          }
        }
      case .group(let name):
        flow.forEach(in: [1, 2], into: FlowKey<[Int]>(name), run: DoubleOp.self)
      case .cases(let branches, isStructured: true):
        let key = branches.compactMap(\.condition?.key).first ?? "k0"
        if isOfLetters(key) {
          flow.cases(on: FlowKey(key)) { add(branches, to: $0) { Letter(rawValue: $0) ?? .B } }
        } else {
          flow.cases(on: FlowKey(key)) { add(branches, to: $0) { $0 } }
        }
      case .cases(let branches, isStructured: false):
        for branch in branches {
          let flowCase = branch.condition.map { FlowCase(key: $0.key, value: $0.value) }
          add(branch.steps, to: flow, first: flowCase ?? .otherwise)
        }
        flow.combine()
      case .flow(let steps, let data):
        let inner = Flow("inner").setDataBucket(dataBucket: data.mapValues(\.stored))
        add(steps, to: inner)
        flow.add(flow: inner)
      case .guarded(let conditions, let steps, let isTyped):
        let inner = Flow("guarded")
        add(steps, to: inner)
        let traits = conditions.map { key, value -> StepTrait<FlowStep.Composite> in
          isOfLetters(key)
            ? trait(on: FlowKey(key), Letter(rawValue: value) ?? .B, isTyped)
            : trait(on: FlowKey(key), value, isTyped)
        }
        if traits.count > 1 { flow.add(flow: inner, traits[0], traits[1]) } else { flow.add(flow: inner, traits[0]) }
      case .choose(let key, let source):
        let (key, source) = (FlowKey<String>(key), FlowKey<String>(source))
        flow.add("choose", .reads(source), .writes(key)) { $0[key] = try $0.require(source) }
      case .parallel(let left, let right):
        flow.parallel {
          $0.branch("left") { add(left, to: $0) }
          $0.branch("right") { add(right, to: $0) }
        }
      }
    }
  }
}
