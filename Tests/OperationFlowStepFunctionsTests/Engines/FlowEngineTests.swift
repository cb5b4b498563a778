import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.heavy, .enabled(if: !Engine.all.isEmpty, "run .ci/engines/run, which starts the interpreters"))
struct FlowEngineTests {
  /// Cases, a step after them, and a group; with or without a way for other values.
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
      // Once here and once there, if the flow gets that far.
      let line = "world \(target ?? "nil")"
      #expect(lines.entries == (isKnown || hasOtherwise ? [line, line] : []))
    }
  }

  @Test(arguments: Engine.open) func `undos run in reverse, and the first error is the execution's`(
    engine: Engine
  ) async throws {
    func make(_ lines: Journal<String>) -> Flow {
      Flow("Undone").set(.target, to: "A").set(.numbers, to: [1, 2])
        .add("a", .writes(.count), .undo { lines.append("undo a \($0[.count] ?? 0)") }) { $0[.count] = 1 }
        .cases(on: .target) {
          // It changes what the case was chosen by.
          $0.when("A") { $0.add("in A", .undo { _ in lines.append("undo in A") }) { $0[.target] = "B" } }
          $0.otherwise { $0.add("in other", .undo { _ in lines.append("never") }) { _ in } }
        }
        .forEach(
          .numbers, into: .squares, width: 1,
          .undo { lines.append("undo \($0.index ?? -1) \(try $0.output() as Int)") }
        ) { number, _ in number * number }
        .add(
          flow: Flow("Inner").add(
            "b",
            .undo { context in
              lines.append("undo b \(context.ending?.error != nil)")
              throw TestError(name: "undo")
            }
          ) { _ in }
        )
        .add("fails", .undo { _ in lines.append("never") }) { _ in throw TestError(name: "first") }
        .add("after", .undo { _ in lines.append("never") }) { _ in lines.append("never") }
        .always { $0.add("always") { lines.append("always \($0.ending?.isSuccess ?? true)") } }
    }
    let (here, there) = (Journal<String>(), Journal<String>())
    let local = await make(here).run()
    let execution = try await engine.run(make(there))
    try execution.expectSame(as: local)
    #expect(execution.error == FlowTaskFailure.failedName)
    #expect(execution.cause?.contains("TestError(first)") == true)
    #expect(here.entries == there.entries)
    #expect(there.entries == ["undo b true", "undo 1 4", "undo 0 1", "undo in A", "undo a 1", "always false"])
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
