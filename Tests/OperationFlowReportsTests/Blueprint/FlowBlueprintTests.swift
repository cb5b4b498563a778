import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

@Suite(.watched) struct FlowBlueprintTests {
  private static let numbers = FlowKey<[Int]>("numbers")
  private static let texts = FlowKey<[String]>("texts")

  private func makeFlow() -> Flow {
    Flow("all")
      .add(SuccessOp(), .named("first"), .weight(3))
      .add("closure", .reads(FlowKey<String>("pin", sensitive: true), optional: FlowKey<Int>("age")), .writesNothing) {
        _ in
      }
      .forEach(Self.numbers, into: Self.texts, width: 4, tolerating: .failures(2)) { number, _ in "\(number)" }
      .forEach(in: 0..<3) { (_: Int, _: FlowContext) async throws in }
      .cases(on: "target") { $0.when("web") { $0.step() } }
      .add(flow: Flow("inner").step())
      .addParallel("both", ["left": Flow().step(), "right": Flow()])
  }

  @Test func `it has the kind, the weight and the branches of every step`() {
    let steps = makeFlow().blueprint.steps
    #expect(
      steps.map(\.kind) == [
        .operation(type: "SuccessOp"), .closure(isAsynchronous: false),
        .group(width: 4, tolerance: .failures(2), isStream: false),
        .group(width: 3, tolerance: .none, isStream: true), .cases, .flow, .parallel,
      ])
    #expect(steps.map(\.weight) == [3, 1, 1, 1, 1, 1, 1])
    #expect(steps.map(\.name) == ["first", "closure", "numbers", "forEach", "Cases", "inner", "both"])
    #expect(steps[4].branches.map(\.name) == ["target=web"])
    #expect(steps[4].branches.first?.condition == FlowCase(key: "target", value: "web"))
    #expect(steps[6].branches.map(\.name) == ["left", "right"] && steps[6].branches.map(\.steps.count) == [1, 0])
  }

  @Test func `it has the keys that steps declare`() throws {
    let steps = makeFlow().blueprint.steps
    let (pin, age) = (try #require(steps[1].inputs.first), try #require(steps[1].inputs.last))
    #expect(pin.name == "pin" && pin.type == "String" && pin.isRequired && pin.isSensitive)
    #expect(age.name == "age" && age.type == "Int" && !age.isRequired && !age.isSensitive)
    #expect(!steps[1].mayWriteAnything && steps[1].outputs.isEmpty && steps[0].mayWriteAnything)
    #expect(steps[2].inputs.map(\.name) == ["numbers"] && steps[2].outputs.map(\.type) == ["Array<String>"])
  }

  @Test func `it is what the flow was when it was asked for, and has all steps in their order`() {
    let flow = makeFlow()
    let blueprint = flow.blueprint
    flow.step()
    #expect(blueprint.steps.count == 7 && flow.blueprint.steps.count == 8 && blueprint.name == "all")
    #expect(Set(blueprint.allSteps.map(\.path)).count == blueprint.allSteps.count)
    #expect(blueprint.allSteps.map(\.name).suffix(4) == ["inner", "BlockOp", "both", "BlockOp"])
  }
}
