import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.heavy, .enabled(if: !Engine.all.isEmpty, "run .ci/engines/run, which starts the interpreters"))
struct GroupEngineTests {
  private static let modes: [Set<String>] = [[], ["numbers"]]

  private func group() -> Flow {
    Flow("Group").forEach(.numbers, into: .squares, width: 3, tolerating: .failures(1), .reads(.count)) {
      number, context in
      if number < 0 { throw TestError(name: "negative \(number)") }
      return number * (try context.require(.count))
    }
  }

  @Test(arguments: Engine.open, modes) func `one failure of six is tolerated, and its index and cause are kept`(
    engine: Engine, distributedGroups: Set<String>
  ) async throws {
    let execution = try await engine.expectSame(
      group(), with: ["numbers": [5, -4, 6, 7, 8, 9], "count": 2],
      options: Engine.options(distributedGroups: distributedGroups))
    #expect(execution.status == .succeeded)
    let output = try StateMachineOutput(json: execution.output ?? Data())
    #expect(output[.squares] == [10, 12, 14, 16, 18])
    #expect(output.itemFailures.map(\.index) == [1] && output.itemFailures.map(\.path) == ["1. numbers"])
    #expect(output.itemFailures.first?.cause.contains("TestError(negative -4)") == true)
    #expect(output.itemFailures.first?.error == FlowTaskFailure.failedName)
  }

  @Test(arguments: Engine.open, modes) func `two failures of eight are one too many`(
    engine: Engine, distributedGroups: Set<String>
  ) async throws {
    let execution = try await engine.run(
      group(), with: ["numbers": [1, -2, 3, 4, -5, 6, 7, 8], "count": 1],
      options: Engine.options(distributedGroups: distributedGroups))
    #expect(execution.status == .failed)
    let cause = execution.cause ?? ""
    #expect(cause.contains("2 of 8 items failed, 1 tolerated") && cause.contains("#2"), "\(cause)")
  }

  @Test(arguments: Engine.open, modes) func `as many items run at once as the width says, and outputs keep their order`(
    engine: Engine, distributedGroups: Set<String>
  ) async throws {
    let (begun, running) = (Tally(), Locked((now: 0, peak: 0)))
    let flow = Flow("Width").forEach(.numbers, into: .squares, width: 3) { number, _ in
      running.withLock { running in
        running.now += 1
        running.peak = max(running.peak, running.now)
      }
      begun.add()
      // The first three wait for each other, and some later ones need longer than earlier ones.
      await begun.reach(3)
      try await Task.sleep(for: .milliseconds(40 * (number % 3)))
      running.withLock { $0.now -= 1 }
      return number * number
    }
    let numbers = Array(0..<12)
    let execution = try await engine.run(
      flow, with: ["numbers": numbers], options: Engine.options(distributedGroups: distributedGroups), concurrency: 8)
    #expect(execution.status == .succeeded)
    #expect(try StateMachineOutput(json: execution.output ?? Data())[.squares] == numbers.map { $0 * $0 })
    #expect(running.withLock { $0.peak } == 3)
    #expect(begun.count == 12)
  }
}
