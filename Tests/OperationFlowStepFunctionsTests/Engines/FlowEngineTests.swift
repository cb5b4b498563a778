import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.heavy, .enabled(if: !Engine.all.isEmpty, "run .ci/engines/run, which starts the interpreters"))
struct FlowEngineTests {
  /// Returns a flow of cases, with or without a default, a step after them, and a group.
  private func sample(hasOtherwise: Bool, _ lines: Journal<String>) -> Flow {
    Flow("Sample").set("images", to: ["a", "b", "c"])
      .cases(on: .target) {
        $0.when("A") { $0.add("hello", .writes(.count)) { $0[.count] = 1 } }
        $0.when("B") { $0.add("again", .writes(.count), .writes(.name)) { ($0[.count], $0[.name]) = (2, "B") } }
        if hasOtherwise { $0.otherwise { $0.add("other") { $0[.isWanted] = false } } }
      }
      .add("world", .writesNothing) { lines.append("world \($0[.target] ?? "nil")") }
      .cases(on: .target) {
        $0.when("A", "B") {
          $0.forEach("images", into: "imageURLs", width: 3) { (image: String, _) in "https://host/\(image)" }
        }
      }
  }

  @Test(arguments: Engine.open, ["A", "B", "other", nil]) func `each case ends as it does here`(
    engine: Engine, target: String?
  ) async throws {
    for hasOtherwise in [true, false] {
      let lines = Journal<String>()
      let data: [String: any Sendable] = target.map { ["target": $0] } ?? [:]
      let execution = try await engine.expectSame(sample(hasOtherwise: hasOtherwise, lines), with: data)
      #expect(execution.status == .succeeded)
      let isKnown = target == "A" || target == "B"
      // One line from the local run and one from the engine's, if the flow gets that far.
      let line = "world \(target ?? "nil")"
      #expect(lines.entries == (isKnown || hasOtherwise ? [line, line] : []))
    }
  }

  @Test(arguments: Engine.open) func `attempts have numbers, and the delays that were asked for`(
    engine: Engine
  ) async throws {
    struct Attempt: Sendable {
      let number: Int
      let time: ContinuousClock.Instant
    }
    let attempts = Journal<Attempt>()
    let flow = Flow("Again")
      .add("again", .writes(.count), .retry(.exponential(attempts: 3, first: .seconds(1), factor: 2, jitter: 0))) {
        context in
        attempts.append(Attempt(number: context.attempt, time: .now))
        if context.attempt < 3 { throw TestError(name: "attempt \(context.attempt)") }
        context[.count] = context.attempt
      }
    let execution = try await engine.run(flow)
    #expect(execution.status == .succeeded)
    #expect(try StateMachineOutput(json: execution.output ?? Data())[.count] == 3)
    let entries = attempts.entries
    #expect(entries.map(\.number) == [1, 2, 3])
    guard entries.count == 3 else { return }
    #expect(entries[1].time - entries[0].time >= .seconds(1))
    #expect(entries[2].time - entries[1].time >= .seconds(2))
  }

  @Test(arguments: Engine.open) func `there are no more attempts than asked for, and a final error has one`(
    engine: Engine
  ) async throws {
    for (mayBeRetried, expected) in [(true, [1, 2]), (false, [1])] {
      let attempts = Journal<Int>()
      let flow = Flow("Vain").add("vain", .retry(.attempts(2)) { _ in mayBeRetried }) { context in
        attempts.append(context.attempt)
        throw TestError(name: "attempt \(context.attempt)")
      }
      let execution = try await engine.run(flow)
      #expect(execution.status == .failed)
      #expect(execution.error == (mayBeRetried ? FlowTaskFailure.failedName : FlowTaskFailure.finalName))
      #expect(execution.cause?.contains("TestError(attempt \(expected.count))") == true)
      #expect(attempts.entries == expected)
    }
  }
}
