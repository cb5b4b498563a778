import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

private enum Target: String, Sendable, CaseIterable { case web, print, film }

extension FlowKey where Value == Target {
  fileprivate static var target: Self { "target" }
}

/// Cases on keys whose values aren't strings.
@Suite(.watched) struct TypedCasesTests {
  private func flow() -> Flow {
    Flow().cases(on: .target) {
      $0.when(.web) { $0.add("web") { _ in } }
      $0.when(.print, .film) { $0.add("other") { _ in } }
    }
    .add("behind") { _ in }
  }

  @Test(arguments: [
    (Target.web, "[web]", "target=web"), (.print, "[other]", "target=print|film"),
    (.film, "[other]", "target=print|film"),
  ])
  private func `the branch of the value is taken`(target: Target, step: String, text: String) async {
    let report = await flow().set(.target, to: target).run().report
    #expect(report.started == [step, "[behind]"])
    #expect(report.lines.contains("[Cases] chosen: \(text)"))
  }

  @Test func `numbers and truth values are compared as such`() async {
    let numbers = Flow().cases(on: .count) {
      $0.when(3) { $0.add("three") { _ in } }
      $0.when(1, 2) { $0.add("few") { _ in } }
      $0.otherwise { $0.add("many") { _ in } }
    }
    for (count, name) in [(1, "[few]"), (2, "[few]"), (3, "[three]"), (4, "[many]")] {
      #expect(await numbers.run(with: ["count": count]).report.started == [name])
    }
    let premium = Flow().cases(on: .isPremium) {
      $0.when(true) { $0.add("yes") { _ in } }
      $0.when(false) { $0.add("no") { _ in } }
    }
    #expect(await premium.run(with: ["isPremium": true]).report.started == ["[yes]"])
    #expect(await premium.run(with: ["isPremium": false]).report.started == ["[no]"])
  }

  @Test func `a value of another type matches no branch, and the record says which type was there`() async {
    let early = "[Cases] no case is matched. finished in early. "
    let values: [(value: any Sendable, text: String)] = [
      ("web", "<target> is <web> with type <String>, but NOT type <Target>."),
      (3, "<target> is <3> with type <Int>, but NOT type <Target>."),
    ]
    for (value, text) in values {
      let outcome = await flow().run(with: ["target": value, "x": 1])
      #expect(outcome.isSuccess && outcome.report.lines.contains(early + text))
      #expect(outcome.report.earlyEnds.first?.held == text)
    }
    #expect(await flow().run().report.lines.contains(early + "<target> is missing."))
    // The integer 1 doesn't equal the floating-point number 1.0.
    let count = Flow().cases(on: .count) { $0.when(1) { $0.add("one") { _ in } } }
    #expect(await count.run(with: ["count": 1.0]).report.started.isEmpty)
  }

  @Test func `paths and the blueprint name the values`() {
    let branches = flow().blueprint.steps[0].branches
    #expect(branches.map(\.name) == ["target=web", "target=print|film"])
    #expect(branches[1].steps.map { "\($0.path)" } == ["1. Cases > target=print|film > 1. other"])
    #expect(branches.map { $0.condition?.description } == ["target=web", "target=print|film"])
  }

  @Test func `cases that have a branch for each value need no otherwise`() {
    #expect(flow().set(.target, to: .web).findings == [])
    let open = Flow().add("any") { _ in }
    #expect(open.add(flow: flow()).findings == [])
    let some = Flow().set(.target, to: .film).cases(on: .target) {
      $0.when(.web) { $0.addNothing() }.when(.print) { $0.addNothing() }
    }
    #expect(some.add("behind") { _ in }.findings == ["warning incompleteCases at 1. Cases: target"])
    let one = Flow().set(.isPremium, to: true).cases(on: .isPremium) { $0.when(false) { $0.addNothing() } }.add(
      "behind"
    ) { _ in }
    #expect(one.findings == ["warning incompleteCases at 1. Cases: isPremium"])
    let both = Flow().set(.isPremium, to: true).cases(on: .isPremium) {
      $0.when(false) { $0.addNothing() }.when(true) { $0.addNothing() }
    }
    #expect(both.add("behind") { _ in }.findings == [])
  }

  @Test func `a key that may be missing may match none of them`() {
    let maybe = Flow().set("other", to: "x").cases(on: "other") {
      $0.when("x") { $0.add("set", .writes(.target)) { $0[.target] = .web } }
      $0.otherwise { $0.addNothing() }
    }
    #expect(maybe.add(flow: flow()).findings == ["warning incompleteCases at 2. Flow > 1. Cases: target"])
  }

  @Test func `a value that all branches before cover is never taken`() {
    let flow = Flow().set(.count, to: 1).cases(on: .count) {
      $0.when(1, 2) { $0.addNothing() }
      $0.when(2, 3) { $0.addNothing() }
      $0.when(3, 1) { $0.addNothing() }
      $0.otherwise { $0.addNothing() }
    }
    #expect(flow.findings == ["warning unreachableCase at 1. Cases > count=3|1: count"])
  }

  @Test func `what a branch may have written is not missed where a value is asked for again`() {
    let link = FlowKey<Int>("link")
    func flow(_ second: Target) -> Flow {
      Flow().set(.target, to: .web)
        .cases(on: .target) {
          $0.when(.web) { $0.add("write", .writes(link)) { $0[link] = 1 } }
          $0.otherwise { $0.addNothing() }
        }
        .cases(on: .target) {
          $0.when(second) { $0.add("read", .reads(link), .writesNothing) { _ in } }
          $0.otherwise { $0.addNothing() }
        }
    }
    #expect(flow(.web).findings == [])
    #expect(flow(.film).findings == [])
  }
}
