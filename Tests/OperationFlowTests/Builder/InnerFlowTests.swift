import OperationFlow
import TestSupport
import Testing

extension FlowKey where Value == String {
  fileprivate static var target: Self { "target" }
  fileprivate static var secret: Self { FlowKey("secret", sensitive: true) }
}

@Suite(.watched) struct InnerFlowTests {
  private func target(_ value: String) -> FlowCase { FlowCase(key: .target, value: value) }

  @Test func `a flow as a step shares the bucket, and is told of under its name`() async {
    let inner = Flow("inner").add("inc") { context in context.update(.count, default: 0) { $0 += 1 }
    }
    let outcome = await Flow().set(.count, to: 1).add(flow: inner).add(flow: inner)
      .add("read") { #expect($0[.count] == 3) }.run()
    #expect(outcome.isSuccess)
    #expect(
      outcome.report.lines.dropFirst().prefix(6) == [
        "[inner] WillStart", "[inc] WillStart", "[DataBucket] replace for count: 1 -> 2",
        "[inc] DidFinish: successfully", "[inner] DidFinish: successfully", "[inner] WillStart",
      ])
  }

  @Test func `its initial data is written if the name is missing, when it is reached`() async {
    let inner = Flow("inner").set(.count, to: 10).set(.secret, to: "opensesame").add("inner step") {
      _ in
    }
    let fresh = await Flow().add("before") { #expect($0[.count] == nil) }.add(flow: inner).run()
    #expect(fresh.report[.count] == 10)
    #expect(fresh.report[.secret] == "opensesame")
    #expect(!fresh.report.summary.contains("opensesame"))
    #expect(fresh.report.lines.contains("[DataBucket] add for count: 10"))
    let held = await Flow().set(.count, to: 1).add(flow: inner).run()
    #expect(held.report[.count] == 1)
  }

  @Test func `no match deep in a branch of it ends the innermost flow alone`() async {
    let innermost = Flow("innermost").set(.target, to: "B").cases(on: .target) {
      $0.when("A") { $0.addNothing() }
    }
    .add("never") { _ in fail("ran") }
    let inner = Flow("inner").cases(on: .target) {
      $0.when("B") { $0.add(flow: innermost).add("in branch") { _ in } }
    }.add("in inner") { _ in }
    let outcome = await Flow().set(.target, to: "B").add(flow: inner).add("after") { _ in }.run()
    #expect(outcome.report.started == ["[inner]", "[innermost]", "[in branch]", "[in inner]", "[after]"])
  }

  @Test(arguments: ["A", "B"]) func `it can be the first step of a branch`(value: String) async {
    let a = Flow("a").add("in a") { _ in }
    let b = Flow("b").add("in b") { _ in }
    let flow = Flow().set(.target, to: value)
      .cases(on: .target) {
        $0.when("A") { $0.add(flow: a).add("behind a") { _ in } }
        $0.otherwise { $0.add(flow: b) }
      }
      .add("after") { _ in }
    #expect(
      await flow.run().report.started
        == (value == "A"
          ? ["[a]", "[in a]", "[behind a]", "[after]"] : ["[b]", "[in b]", "[after]"]))
  }

  @Test func `cases that it leaves open end with it`() async {
    let inner = Flow("inner").add(operation: BlockOp("a"), flowCase: target("A"))
      .add(operation: BlockOp("b") { _ in fail("ran") }, flowCase: target("B"))
    let outcome = await Flow().set(.target, to: "A").add(flow: inner).add("after") { _ in }.run()
    #expect(outcome.report.started == ["[inner]", "[a]", "[after]"])
  }

  @Test func `what it is when it is added is what runs`() async {
    let inner = Flow("inner").add("first") { _ in }
    let flow = Flow().add(flow: inner)
    inner.add("second") { _ in fail("ran") }
    #expect(await flow.run().isSuccess)
  }

  @Test func `its blocks and observers are not called`() async {
    let inner = Flow("inner")
      .setWillStartBlock { _ in fail("will start") }.setDidFinishBlock { _ in fail("did finish") }
      .observe { _ in fail("observed") }.sendLog(to: .closure { _ in fail("logged") })
      .add("step") { $0.log("line") }
    #expect(await Flow().add(flow: inner).run().isSuccess)
  }

  @Test func `a flow may be added to itself, as it is then`() async {
    let flow = Flow("twice").add("step") { context in context.update(.count, default: 0) { $0 += 1 }
    }
    flow.add(flow: flow).add(flow: flow)
    #expect(await flow.run().report[.count] == 4)
  }
}
