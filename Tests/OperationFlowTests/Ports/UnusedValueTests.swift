import TestSupport
import Testing

@testable import OperationFlow

extension FlowKey where Value == Int {
  fileprivate static var attempts: Self { "attempts" }
}

private final class TryOp: FlowOperation, @unchecked Sendable {
  @FlowInput var attempts: Int = 3
  @FlowInput var nickname: String?
  @FlowOutput var seen: String?

  override func run() async throws { seen = "\(attempts) \(nickname ?? "-")" }
}

/// A value of the wrong type is not swallowed, though the step goes on without it.
@Suite(.watched) struct UnusedValueTests {
  private func warnings(_ outcome: FlowOutcome) -> [String] {
    outcome.report.events.compactMap { event in
      if case .warned(let text) = event.kind { "\(event.source) \(text)" } else { nil }
    }
  }

  @Test func `a value of the wrong type for an input with a default, or an optional one, is a warning`() async {
    let outcome = await Flow().set(FlowKey<String>("attempts"), to: "secret").set(FlowKey<Int>("nickname"), to: 7).add(
      TryOp()
    )
    .run()
    #expect(outcome.report["seen"] == "3 -")
    #expect(
      warnings(outcome) == [
        "[TryOp] <attempts> in data bucket is of type <String>, but NOT type <Int>: the step goes on without it. "
          + "Write a value of type Int under <attempts>, or read it as String.",
        "[TryOp] <nickname> in data bucket is of type <Int>, but NOT type <String>: the step goes on without it. "
          + "Write a value of type String under <nickname>, or read it as Int.",
      ])
  }

  @Test func `a missing value and one of the right type are none`() async {
    #expect(warnings(await Flow().add(TryOp()).run()) == [])
    let outcome = await Flow().set(.attempts, to: 1).set(FlowKey<String>("nickname"), to: "ann").add(TryOp()).run()
    #expect(warnings(outcome) == [] && outcome.report["seen"] == "1 ann")
  }

  @Test func `a closure that declares what it reads is warned once for a key`() async {
    let flow = Flow().set(FlowKey<String>("attempts"), to: "many")
      .add("declared", .reads(optional: .attempts), .writesNothing) { context in
        for _ in 0..<3 { #expect(context[.attempts] == nil) }
      }
      .add("free") { context in #expect(context[.attempts] == nil) }
    #expect(
      warnings(await flow.run()) == [
        "[declared] <attempts> in data bucket is of type <String>, but NOT type <Int>: the step goes on without it. "
          + "Write a value of type Int under <attempts>, or read it as String."
      ])
  }
}
