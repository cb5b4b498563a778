import OperationFlow
import TestSupport
import Testing

extension FlowKey where Value == String {
  fileprivate static var target: Self { "target" }
  fileprivate static var size: Self { "size" }
}

@Suite(.watched) struct NestedCasesTests {
  /// Returns a flow of cases in cases.
  ///
  /// Each step appends its name to `trail`.
  private func nested(_ trail: Journal<String>) -> Flow {
    let step = { @Sendable (name: String) in { @Sendable (_: FlowContext) in trail.append(name) } }
    return Flow()
      .add("before", run: step("before"))
      .cases(on: .target) {
        $0.when("web") { web in
          web.add("web", run: step("web"))
            .cases(on: .size) {
              $0.when("large") { $0.add("large", run: step("large")) }
              $0.when("small") { $0.add("small", run: step("small")).add("small2", run: step("small2")) }
              $0.otherwise { $0.add("any", run: step("any")) }
            }
            .add("web end", run: step("web end"))
        }
        .when("print") { $0.add("print", run: step("print")) }
      }
      .add("after", run: step("after"))
  }

  @Test(arguments: [
    (["target": "web", "size": "large"], ["before", "web", "large", "web end", "after"]),
    (["target": "web", "size": "small"], ["before", "web", "small", "small2", "web end", "after"]),
    (["target": "web", "size": "odd"], ["before", "web", "any", "web end", "after"]),
    (["target": "web"], ["before", "web", "any", "web end", "after"]),
    (["target": "print", "size": "large"], ["before", "print", "after"]),
    (["target": "other"], ["before"]),
  ]) func `the branches that fit are taken, inside and outside`(data: [String: String], names: [String]) async {
    let trail = Journal<String>()
    let outcome = await nested(trail).run(with: data)
    #expect(outcome.isSuccess && trail.entries == names)
  }

  @Test func `an empty branch, and cases without any, are fine`() async {
    let empty = await Flow().set(.target, to: "web")
      .cases(on: .target) { $0.when("web") { $0.addNothing() } }.add("after") { _ in }.run()
    #expect(empty.report.started == ["[after]"])
    let none = await Flow().cases(on: .target) { _ in }.add("after") { _ in fail("ran") }.run()
    #expect(none.isSuccess)
  }

  @Test func `structured cases stand in a branch of the predecessor's style, and the other way round`() async {
    let flow = Flow().set(.target, to: "web").set(.size, to: "small")
      .add(operation: BlockOp("web"), flowCase: FlowCase(key: .target, value: "web"))
      .cases(on: .size) { sizes in
        sizes.when("small") { small in
          small.add(operation: BlockOp("old"), flowCase: FlowCase(key: .target, value: "web")).combine()
            .add("combined") { _ in }
        }
      }
      .add("still web") { _ in }
      .add(operation: BlockOp("print") { _ in fail("ran") }, flowCase: FlowCase(key: .target, value: "print"))
      .combine()
      .add("after") { _ in }
    #expect(await flow.run().report.started == ["[web]", "[old]", "[combined]", "[still web]", "[after]"])
  }
}
