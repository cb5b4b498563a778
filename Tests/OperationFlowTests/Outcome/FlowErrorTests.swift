import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct FlowErrorTests {
  @Test func `an error says where, what, and what to do`() async {
    let outcome = await Flow("Publish").add(BlockOp("login") { let _: Int? = $0.getData(name: "id") }).run()
    let text =
      "flow \"Publish\", step [login]: can't find <id> in data bucket. "
      + "Set <id> in the flow's data bucket, or in a step that comes before."
    #expect("\(outcome.error as Any)" == "Optional(\(text))")
    #expect(outcome.error?.localizedDescription == text)
  }

  @Test func `a place that is known is not written over`() {
    let error = FlowError(.cancelled, "p", remedy: "r", flow: "inner", step: "s").located(flow: "outer", step: "t")
    #expect(error.flow == "inner" && error.step == "s")
    #expect(error.description == "flow \"inner\", step s: p. r")
    #expect(FlowError(.cancelled, "p.", remedy: "r").description == "p. r")
  }

  @Test func `an error of one's own is handed on as it is`() async {
    final class ObjectError: Error, Sendable {}
    let error = ObjectError()
    let outcome = await Flow().step { $0.finishWithError(error: error) }.run()
    #expect(outcome.error as? ObjectError === error)
    #expect(throws: ObjectError.self) { _ = try outcome.get() }
  }

  @Test func `an outcome gives its report or throws`() async throws {
    let success = await Flow().setData(name: "number", value: 5).run()
    #expect(try success.get()["number" as FlowKey<Int>] == 5)
    #expect(success.error == nil)
    #expect(try success.get()["number" as FlowKey<String>] == nil)
  }

  @Test func `a long error is cut in the record, and whole in the outcome`() async {
    let error = TestError(name: String(repeating: "x", count: 100_000))
    let outcome = await Flow().step { $0.finishWithError(error: error) }.run()
    #expect(outcome.error as? TestError == error)
    #expect(outcome.report.summary.count < 3_000)
  }

  @Test func `several can wait for one outcome, before and after the end`() async {
    let run = Flow().add(LaterOp()).start()
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<50 { group.addTask { await run.outcome.isSuccess } }
      for await isSuccess in group { #expect(isSuccess) }
    }
    #expect(await run.outcome.isSuccess)
    #expect(run.currentOutcome?.isSuccess == true)
  }
}
