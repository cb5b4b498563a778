import OperationFlow
import TestSupport
import Testing

extension FlowKey where Value == String {
  static var target: Self { "target" }
  static var size: Self { "size" }
}

enum Audience: Sendable, CaseIterable {
  case friends, family, everyone
}
extension FlowKey where Value == Audience {
  static var audience: Self { "audience" }
}

enum CasesAndBranches {
  class StepOp: FlowOperation, @unchecked Sendable {
    override func run() async throws {
      // Your work.
    }
  }

  final class ResizeOp: StepOp, @unchecked Sendable {}
  final class WatermarkOp: StepOp, @unchecked Sendable {}
  final class ConvertOp: StepOp, @unchecked Sendable {}
  final class ArchiveOp: StepOp, @unchecked Sendable {}
  final class NotifyOp: StepOp, @unchecked Sendable {}

  static func cases() -> Flow {
    let flow = Flow("Publish")
      .cases(on: .target) {
        $0.when("web") { $0.add(ResizeOp()).add(WatermarkOp()) }
        $0.when("print") { $0.add(ConvertOp()) }
        $0.otherwise { $0.add(ArchiveOp()) }
      }
      .add(NotifyOp())
    return flow
  }

  static func nested() -> Flow {
    let flow = Flow("Publish")
      .cases(on: .target) {
        $0.when("web") {
          $0.cases(on: .size) {
            $0.when("small") { $0.add(ResizeOp()) }
            $0.otherwise { $0.add(WatermarkOp()) }
          }
        }
        $0.otherwise { $0.add(ArchiveOp()) }
      }
    return flow
  }

  static func share() -> Flow {
    let flow = Flow("Share")
      .set(.audience, to: .family)
      .cases(on: .audience) {
        $0.when(.friends, .family) { $0.add(ResizeOp()) }
        $0.when(.everyone) { $0.add(WatermarkOp()) }
      }
      .add(NotifyOp())
    return flow
  }

  static func chain() -> Flow {
    let flow = Flow("Publish")
      .setDataBucket(dataBucket: ["target": "web"])
      .add(operation: ResizeOp(), flowCase: FlowCase(key: "target", value: "web"))
      .add(operation: WatermarkOp())
      .add(operation: ConvertOp(), flowCase: FlowCase(key: "target", value: "print"))
      .add(operation: ArchiveOp(), flowCase: .otherwise)
      .combine()
      .add(operation: NotifyOp())
    return flow
  }

  static func flowAsStep() -> Flow {
    let prepare = Flow("Prepare")
      .set(.size, to: "small")
      .add(ResizeOp())
      .cases(on: .target) {
        $0.when("web") { $0.add(WatermarkOp()) }
      }
    let flow = Flow("Publish").add(flow: prepare).add(NotifyOp())
    return flow
  }
}

@Suite(.watched) struct CasesAndBranchesTests {
  private typealias Article = CasesAndBranches

  /// The steps that have run, in order.
  private func steps(_ flow: Flow, _ data: [String: any Sendable] = [:]) async -> [String] {
    let outcome = await flow.run(with: data)
    #expect(outcome.isSuccess)
    return outcome.report.events.compactMap { $0.kind == .started ? $0.source.name : nil }
  }

  private func line(about who: String, in flow: Flow, _ data: [String: any Sendable]) async -> String? {
    let summary = await flow.run(with: data).report.summary.withoutTimes
    return summary.split(separator: "\n").first { $0.hasPrefix("[\(who)]") }.map(String.init)
  }

  @Test func `the branch that fits is taken, and the flow goes on`() async {
    #expect(await steps(Article.cases(), ["target": "web"]) == ["ResizeOp", "WatermarkOp", "NotifyOp"])
    #expect(await steps(Article.cases(), ["target": "print"]) == ["ConvertOp", "NotifyOp"])
    #expect(await Article.cases().run(with: ["target": "print"]).report.stepCount == 3)
    for data in [["target": "film"], [:], ["target": 7]] as [[String: any Sendable]] {
      #expect(await steps(Article.cases(), data) == ["ArchiveOp", "NotifyOp"])
    }
  }

  @Test func `cases nest`() async {
    #expect(await steps(Article.nested(), ["target": "web", "size": "small"]) == ["ResizeOp"])
    #expect(await steps(Article.nested(), ["target": "web"]) == ["WatermarkOp"])
    #expect(await steps(Article.nested(), ["size": "small"]) == ["ArchiveOp"])
  }

  @Test func `cases compare any values`() async {
    #expect(await steps(Article.share()) == ["ResizeOp", "NotifyOp"])
    #expect(await steps(Article.share(), ["audience": Audience.everyone]) == ["WatermarkOp", "NotifyOp"])
    #expect(Article.share().validate().isEmpty)
    let paths = Article.share().blueprint.allSteps.map { "\($0.path)" }
    #expect(paths.contains("1. Cases > audience=friends|family > 1. ResizeOp"))
  }

  @Test func `a chain does the same`() async {
    #expect(await steps(Article.chain()) == ["ResizeOp", "WatermarkOp", "NotifyOp"])
    #expect(await steps(Article.chain(), ["target": "print"]) == ["ConvertOp", "NotifyOp"])
    #expect(await steps(Article.chain(), ["target": "film"]) == ["ArchiveOp", "NotifyOp"])
  }

  @Test func `without combine the rest belongs to the last branch`() async {
    let flow = Flow()
      .add("a", flowCase: FlowCase(key: "target", value: "a")) { _ in }
      .add("b", flowCase: FlowCase(key: "size", value: "b")) { _ in }
      .add("rest") { _ in }
    #expect(await steps(flow, ["target": "a", "size": "b"]) == ["a"])
    #expect(await steps(flow, ["target": "x", "size": "b"]) == ["b", "rest"])
  }

  @Test func `if nothing fits, the flow ends early and says why`() async {
    let inner: @Sendable (FlowCases<String>) -> Void = { $0.when("small") { $0.add(Article.ResizeOp()) } }
    let flow = Flow().cases(on: .target) {
      $0.when("web") { $0.cases(on: .size, inner).add(Article.WatermarkOp()) }
    }
    .add(Article.NotifyOp())
    #expect(await steps(flow, ["target": "film"]).isEmpty)
    #expect(await steps(flow, ["target": "web"]).isEmpty)
    let early = "[Cases] no case is matched. finished in early. "
    #expect(await line(about: "Cases", in: flow, ["target": "film"]) == early + "<target> is <film>.")
    #expect(await line(about: "Cases", in: flow, [:]) == early + "<target> is missing.")
    #expect(
      await line(about: "Cases", in: flow, ["target": 7]) == early
        + "<target> is <7> with type <Int>, but NOT type <String>.")
    let going = Flow().cases(on: .target) { $0.otherwise { $0.addNothing() } }.add(Article.NotifyOp())
    #expect(await steps(going) == ["NotifyOp"])
  }

  @Test func `a flow is a step`() async {
    #expect(
      await steps(Article.flowAsStep(), ["target": "web"]) == ["Prepare", "ResizeOp", "WatermarkOp", "NotifyOp"])
    #expect(await steps(Article.flowAsStep(), ["target": "film"]) == ["Prepare", "ResizeOp", "NotifyOp"])
    #expect(await Article.flowAsStep().run().report[.size] == "small")
    #expect(await Article.flowAsStep().run(with: ["size": "large"]).report[.size] == "large")
    let failing = await Flow().add(flow: Flow("Inner").add("bad") { _ in throw NoUser() }).add("next") { _ in }.run()
    #expect(failing.error is NoUser && failing.report.stepCount == 2)
  }

  @Test func `problems with branches are found before the run`() {
    let twice = Flow().set(.target, to: "a").cases(on: .target) {
      $0.when("a") { $0.add(Article.ResizeOp()) }.when("a") { $0.add(Article.ConvertOp()) }
    }
    #expect(twice.validate().map(\.code) == [.unreachableCase])
    #expect(Article.cases().validate().map(\.severity) == [.warning, .warning])
    #expect(Flow().add("a") { _ in }.combine().validate().map(\.code) == [.misplacedCombine])
    let loose = Flow().set(.target, to: "a")
      .add(WriteTextOp(), flowCase: FlowCase(key: "target", value: "a"))
      .add(CountWordsOp(), flowCase: .otherwise)
    #expect(loose.validate().filter { $0.severity == .error }.map(\.code) == [.misplacedCombine])
    let someOnly = Flow().set(.target, to: "a").cases(on: .target) {
      $0.when("a") { $0.add(WriteTextOp()) }.otherwise { $0.addNothing() }
    }
    .add(CountWordsOp())
    #expect(someOnly.validate().filter { $0.severity == .error }.map(\.code) == [.missingData])
  }
}

private final class WriteTextOp: FlowOperation, @unchecked Sendable {
  @FlowOutput(.text) var text

  override func mainLogic() {
    text = "text"
    finishSuccessfully()
  }
}
