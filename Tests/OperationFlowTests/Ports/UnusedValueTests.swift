import OperationFlow
import TestSupport
import Testing

extension FlowKey where Value == Int {
  fileprivate static var attempts: Self { "attempts" }
}

private final class TryOp: FlowOperation, @unchecked Sendable {
  @FlowInput var attempts: Int = 3
  @FlowInput var nickname: String?
  @FlowOutput var seen: String?

  override func run() async throws { seen = "\(attempts) \(nickname ?? "-")" }
}

/// A value of the wrong type is reported, even if the step can run without it.
@Suite(.watched) struct UnusedValueTests {
  @Test func `a value of the wrong type for an input with a default, or an optional one, is a warning`() async {
    let outcome = await Flow().set(FlowKey<String>("attempts"), to: "secret").set(FlowKey<Int>("nickname"), to: 7).add(
      TryOp()
    )
    .run()
    #expect(outcome.report["seen"] == "3 -")
    #expect(
      outcome.report.warnings == [
        "[TryOp] <attempts> in data bucket is of type <String>, but NOT type <Int>: the step goes on without it. "
          + "Write a value of type Int under <attempts>, or read it as String.",
        "[TryOp] <nickname> in data bucket is of type <Int>, but NOT type <String>: the step goes on without it. "
          + "Write a value of type String under <nickname>, or read it as Int.",
      ])
  }

  @Test func `a missing value and one of the right type are none`() async {
    #expect(await Flow().add(TryOp()).run().report.warnings == [])
    let outcome = await Flow().set(.attempts, to: 1).set(FlowKey<String>("nickname"), to: "ann").add(TryOp()).run()
    #expect(outcome.report.warnings == [] && outcome.report["seen"] == "1 ann")
  }

  @Test func `a closure is warned once for a key, whether it declares what it reads or not`() async {
    let flow = Flow().set(FlowKey<String>("attempts"), to: "many")
      .add("declared", .reads(optional: .attempts), .writesNothing) { context in
        for _ in 0..<3 { #expect(context[.attempts] == nil) }
      }
      .add("free") { context in
        for _ in 0..<3 { #expect(context[.attempts] == nil) }
      }
      .forEach(in: 0..<3, .named("items")) { _, context in #expect(context[.attempts] == nil) }
    let text =
      "<attempts> in data bucket is of type <String>, but NOT type <Int>: the step goes on without it. "
      + "Write a value of type Int under <attempts>, or read it as String."
    let found = await flow.run().report.warnings
    #expect(found.prefix(2) == ["[declared] \(text)", "[free] \(text)"])
    #expect(found.count == 3 && found.last?.hasSuffix(text) == true)
  }

  @Test func `a closure that reads what is missing, or what fits, is not warned, and a secret stays one`() async {
    let pin = FlowKey<Int>("pin", sensitive: true)
    let flow = Flow().add("none") { #expect($0[.attempts] == nil) }
      .add("fits") { context in
        context[.attempts] = 3
        #expect(context[.attempts] == 3)
      }
    #expect(await flow.run().report.warnings == [])
    let secret = Flow().set(FlowKey<String>("pin"), to: "tr0ub4dor").add("free") { #expect($0[pin] == nil) }
    let outcome = await secret.run()
    #expect(outcome.report.warnings.count == 1 && !outcome.report.summary.contains("tr0ub4dor"))
  }
}
