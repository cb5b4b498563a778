import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

/// The declarations of one operation; operations of one class may have different ones.
private struct Shape: Sendable, Hashable {
  struct Port: Sendable, Hashable {
    var name: String
    var isNumber: Bool
    var isSensitive: Bool
    var hasDefault: Bool
  }

  /// The inputs: at most one number and one text.
  ///
  /// The same applies to outputs.
  var inputs: [Port] = []
  var outputs: [Port] = []

  static func random(_ random: inout SeededGenerator) -> Shape {
    var shape = Shape()
    for isNumber in [true, false] {
      if random.oneIn(2) { shape.inputs.append(port(isNumber, &random)) }
      if random.oneIn(2) { shape.outputs.append(port(isNumber, &random)) }
    }
    return shape
  }

  private static func port(_ isNumber: Bool, _ random: inout SeededGenerator) -> Port {
    Port(
      name: ["a", "b", "c"][random.below(3)], isNumber: isNumber, isSensitive: random.oneIn(8),
      hasDefault: random.oneIn(4))
  }
}

extension Shape.Port {
  fileprivate func with(_ change: (inout Self) -> Void) -> Self {
    var port = self
    change(&port)
    return port
  }

  func key<Value>(_ type: Value.Type = Value.self) -> FlowKey<Value> { FlowKey(name, sensitive: isSensitive) }
}

/// Declares the ports of its shape, in properties of one class.
private final class ShapedOp: FlowOperation, @unchecked Sendable {
  private let number: FlowInput<Int>?
  private let text: FlowInput<String>?
  private let numberOutput: FlowOutput<Int>?
  private let textOutput: FlowOutput<String>?

  init(_ shape: Shape) {
    number = shape.inputs.first(where: \.isNumber).map { port in
      port.hasDefault ? FlowInput(wrappedValue: 0, port.key()) : FlowInput(port.key())
    }
    text = shape.inputs.first { !$0.isNumber }.map { port in
      port.hasDefault ? FlowInput(wrappedValue: "", port.key()) : FlowInput(port.key())
    }
    numberOutput = shape.outputs.first(where: \.isNumber).map { FlowOutput($0.key()) }
    textOutput = shape.outputs.first { !$0.isNumber }.map { FlowOutput($0.key()) }
  }

  override func mainLogic() {
    numberOutput?.wrappedValue = (number?.wrappedValue ?? 0) + 1
    textOutput?.wrappedValue = (text?.wrappedValue ?? "") + "!"
    finishSuccessfully()
  }
}

/// Random flows without branches, whose operations are of one class and have different declarations.
///
/// The library caches the declarations of a class, and checks most of these flows in one pass. A plain walk computes
/// the expected results of both.
@Suite(.watched) struct SharedPortsTests {
  private struct Script: Sendable {
    /// The steps; `nil` is a closure without declarations.
    var steps: [Shape?]
    /// For each initial name, `true` if its value is a number.
    var data: [String: Bool]

    init(_ steps: [Shape?], data: [String: Bool] = [:]) { (self.steps, self.data) = (steps, data) }

    init(_ random: inout SeededGenerator) {
      let shapes = (0..<3).map { _ in Shape.random(&random) }
      data = [:]
      for name in ["a", "b", "c"] where !random.oneIn(4) { data[name] = random.oneIn(2) }
      steps = (0...random.below(6)).map { _ in random.oneIn(8) ? nil : shapes[random.below(3)] }
    }

    var values: [String: any Sendable] { data.mapValues { $0 ? 1 as any Sendable : "text" } }

    /// The flow.
    ///
    /// Every other step has a trait, which declares nothing and so must not matter.
    var flow: Flow {
      let flow = Flow()
      for (index, shape) in steps.enumerated() {
        switch (shape, index % 2) {
        case (let shape?, 0): flow.add(ShapedOp(shape))
        case (let shape?, _): flow.add(ShapedOp(shape), .retry(.attempts(2)))
        case (nil, 0): flow.add("any") { _ in }
        case (nil, _): flow.add("any", .retry(.attempts(2))) { _ in }
        }
      }
      return flow
    }

    /// A description of wrong declarations in the flow's blueprint; `nil` if all are right.
    var undeclared: String? {
      let found = flow.blueprint.steps.map { step in
        (step.inputs + step.outputs).map { "\($0.name) \($0.type ?? "-") \($0.isRequired) \($0.isSensitive)" }
      }
      let declared = steps.map { shape in
        let inputs = (shape?.inputs ?? []).map { ($0, !$0.hasDefault) }
        return (inputs + (shape?.outputs ?? []).map { ($0, false) }).map { port, isRequired in
          "\(port.name) \(port.isNumber ? "Int" : "String") \(isRequired) \(port.isSensitive)"
        }
      }
      return found == declared ? nil : "\(self): \(found) are found"
    }

    /// The expected errors: the number of a step, a code and a key.
    var errors: [String] {
      var (known, isOpen, errors) = (data, false, [String]())
      for (index, shape) in steps.enumerated() {
        let (inputs, outputs) = (shape?.inputs ?? [], shape?.outputs ?? [])
        for port in inputs where !port.hasDefault && known[port.name] == nil && !isOpen {
          errors.append("\(index + 1) \(FlowError.Code.missingData) \(port.name)")
        }
        for port in inputs where !port.hasDefault && known[port.name].map({ $0 != port.isNumber }) ?? false {
          errors.append("\(index + 1) \(FlowError.Code.mismatchedData) \(port.name)")
        }
        if outputs.isEmpty { (known, isOpen) = ([:], true) }
        for port in outputs { known[port.name] = port.isNumber }
      }
      return errors
    }
  }

  private static func text(_ problem: FlowProblem) -> String {
    "\(problem.path.description.prefix(1)) \(problem.code) \(problem.key ?? "")"
  }

  @Test func `each operation of a class is known to declare what it does, and no more`() async {
    await forEachSeed(count: 300) { seed in
      var random = SeededGenerator(seed: seed)
      return Script(&random).undeclared
    }
  }

  @Test func `an operation that differs from the one before in one thing is known to`() {
    let a = Shape.Port(name: "a", isNumber: true, isSensitive: false, hasDefault: false)
    let (b, text) = (a.with { $0.name = "b" }, a.with { $0.isNumber = false })
    let (secret, optional) = (a.with { $0.isSensitive = true }, a.with { $0.hasDefault = true })
    let inputs = [[a], [b], [a], [text], [a, text], [a], [secret], [a], [optional], [a], []]
    let asInputs = inputs.map { Shape(inputs: $0, outputs: [b]) }
    let asOutputs = inputs.map { Shape(inputs: [b], outputs: $0) }
    #expect(Script(asInputs + asOutputs).undeclared == nil)
  }

  @Test func `a step that reads what it has written itself is checked each time`() async {
    let text = Shape.Port(name: "a", isNumber: false, isSensitive: false, hasDefault: false)
    let shape = Shape(inputs: [text], outputs: [text.with { $0.isNumber = true }])
    let script = Script([shape, shape], data: ["a": false])
    let error = await script.flow.run(with: script.values).error as? FlowError
    #expect(error?.path == "2. ShapedOp")
    #expect(error?.problem == "<a> is read as <String>, but 1. ShapedOp writes a <Int>.")
  }

  @Test func `validate and the start find what a plain walk finds, also with other data the next time`() async {
    await forEachSeed(count: 100) { seed in
      var random = SeededGenerator(seed: seed)
      var script = Script(&random)
      let flow = script.flow
      for _ in 0..<3 {
        let errors = flow.validate(with: script.values).filter { $0.severity == .error }
        guard errors.map(Self.text).sorted() == script.errors.sorted() else {
          return "\(script): \(errors) are found"
        }
        let error = await flow.run(with: script.values).error as? FlowError
        let isExpected =
          switch errors.count {
          case 0: error == nil || error?.path != nil
          case 1: error?.problem == errors[0].problem && error?.path == errors[0].path
          default: error?.code == .invalidFlow && errors.allSatisfy { error?.problem.contains($0.problem) ?? false }
          }
        guard isExpected else { return "\(script): \(errors) are found, and it ends with \(String(describing: error))" }
        script.data = Script(&random).data
      }
      return nil
    }
  }

  @Test func `an optional that holds nothing is missing, and one that holds a value is that value`() async {
    let flow = Flow().add(CopyOp("a"))
    #expect(await flow.run(with: ["a": Int?.none as any Sendable]).code == .missingData)
    #expect(await flow.run(with: ["a": Int?.some(1) as any Sendable]).report["copied"] == 1)
    #expect(await flow.run(with: ["a": "text"]).code == .mismatchedData)
    #expect(await flow.run(with: ["a": 2]).report["copied"] == 2)
  }

  @Test func `data that a block adds before the first step isn't missed`() async {
    let flow = Flow().add(CopyOp("a")).setWillStartBlock { $0.setData(name: "a", value: 1) }
    #expect(await flow.run().isSuccess)
  }

  @Test func `operations that one factory returns twice are found, and those that others hold are not`() {
    let (shared, held) = (WriteOp("a"), Journal<FlowOperation>())
    let flow = Flow().add(shared).add(shared)
    #expect(flow.validate().filter { $0.code == .operationUsedTwice }.count == 1)
    let others = Flow()
    let make = { @Sendable () -> WriteOp in
      let operation = WriteOp("a")
      held.append(operation)
      return operation
    }
    for _ in 0..<3 { others.add(make()) }
    #expect(others.validate().filter { $0.code == .operationUsedTwice }.isEmpty)
  }
}
