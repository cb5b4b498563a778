import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// One flow of every kind of work, whose store fails at each of its calls in turn.
@Suite(.long) struct TroubleSweepTests {
  private static let number: FlowSignal<Int> = "number"

  @Test(arguments: [
    (FlowDurability.operatingSystem, true), (.operatingSystem, false), (.grouped(within: .zero), false),
    (.everySettlement, true), (.everySettlement.continuingWithoutJournal(), false),
  ])
  func `a store may fail at any call, once, for a while or for ever`(_ durability: FlowDurability, fails: Bool)
    async throws
  {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for manner in FailingCalls.Manner.allCases {
        group.addTask { try await Self.sweep(manner, durability, fails: fails) }
      }
      try await group.waitForAll()
    }
  }

  private static func sweep(_ manner: FailingCalls.Manner, _ durability: FlowDurability, fails: Bool) async throws {
    let (id, sent) = ("sweep \(UUID())", MemoryFlowStore())
    try await sent.send(number, 7, to: id, beforeItBegins: true)
    let model = await TroubledRun(id, durability, journals: sent.journals) { flow(fails: fails, $0) }
    #expect(model.expected.isSuccess != fails && model.callCount > 40, "\(model.expected)")
    for first in 1...model.callCount {
      let run = model.anew()
      var complaint = try await run.complaint(FailingCalls(from: first, manner), durability)
      if complaint == nil { complaint = try await run.complaintAtEnd(durability) }
      if let complaint { Issue.record("from call \(first) \(manner): \(complaint)") }
    }
  }

  private static func flow(fails: Bool, _ ran: @escaping @Sendable (String) -> Void) -> Flow {
    let note = { @Sendable (context: FlowContext) in ran("\(context.idempotencyKey)@\(context.attempt)") }
    return Flow("Order").clock(StepClock(jumps: true)).set("choice", to: "yes")
      .add("reserve", .undo { note($0) }) { note($0) }
      .add("charge", .retry(.attempts(2, delay: .seconds(1))), .undo(alsoIfUncertain: true) { note($0) }) { context in
        note(context)
        if context.attempt == 1 { throw TestError(name: "refused") }
        context["charged"] = 1
      }
      .forEach(in: 0..<3, width: 2, .named("items"), .undo { note($0) }) { _, context async in
        note(context)
        await Task.yield()
      }
      .parallel("both") { step in
        step.branch("left") { $0.add("pack") { note($0) } }
        step.branch("right") { $0.add(flow: Flow("Inner").add("label") { note($0) }) }
      }
      .wait(for: number)
      .wait(.seconds(60))
      .cases(on: FlowKey<String>("choice")) { cases in
        cases.when("yes") { $0.add("chosen") { note($0) } }
        cases.otherwise { $0.addNothing() }
      }
      .add("risky", .recover { _, context in note(context) }) { context in
        note(context)
        throw TestError(name: "risky")
      }
      .add("ship") { context in
        note(context)
        if fails { throw TestError(name: "lost") }
        context["got"] = context[number.key]
      }
      .always { $0.add("clean") { note($0) } }
  }
}
