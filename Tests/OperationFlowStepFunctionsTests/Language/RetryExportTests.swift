import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.watched) struct RetryExportTests {
  private func rules(_ flow: Flow, _ options: StateMachineOptions = StateMachineOptions()) throws -> [Value] {
    let states = try Value(try flow.amazonStatesLanguage(activity: activity, options: options).json)["States"]?.members
    return states?.values.first { $0["Type"] == .text("Task") }?["Retry"]?.elements ?? []
  }

  @Test func `each attempt knows its number`() async throws {
    let attempts = Journal<Int>()
    let flow = Flow().add("a", .retry(.attempts(4, delay: .seconds(9)))) { context in
      attempts.append(context.attempt)
      if context.attempt < 3 { throw TestError() }
    }
    #expect(try await ExportedRun(flow).failure == nil)
    #expect(attempts.entries == [1, 2, 3])
  }

  @Test func `there are no more attempts than the policy says`() async throws {
    let attempts = Journal<Int>()
    let flow = Flow().add("a", .retry(.attempts(3))) { context in
      attempts.append(context.attempt)
      throw TestError(name: "\(context.attempt)")
    }
    #expect(try await ExportedRun(flow).failure?.cause.contains("TestError(3)") == true)
    #expect(attempts.entries == [1, 2, 3])
  }

  @Test func `a final error is not retried`() async throws {
    let attempts = Journal<Int>()
    let flow = Flow()
      .add("a", .retry(.attempts(3)) { _ in false }) { context in
        attempts.append(context.attempt)
        throw TestError()
      }
    #expect(try await ExportedRun(flow).failure?.error == FlowTaskFailure.finalName)
    let missing = Flow().add("a", .retry(.attempts(3))) { context in
      attempts.append(context.attempt)
      _ = try context.require(.count)
    }
    #expect(try await ExportedRun(missing).failure?.error == FlowTaskFailure.finalName)
    #expect(attempts.entries == [1, 1])
  }

  @Test func `items are retried on their own`() async throws {
    let attempts = Journal<String>()
    let flow = Flow().forEach(.numbers, into: .squares, width: 1, .retry(.attempts(2))) { number, context in
      attempts.append("\(number).\(context.attempt)")
      if number == 2, context.attempt == 1 { throw TestError() }
      return number
    }
    let run = try await ExportedRun(flow, with: ["numbers": [1, 2, 3]])
    #expect(run.values?["squares"] == .array([.number(1), .number(2), .number(3)]))
    #expect(attempts.entries == ["1.1", "2.1", "2.2", "3.1"])
  }

  @Test func `delays are whole seconds, and grow up to their limit`() throws {
    let fixed = try rules(Flow().add("a", .retry(.attempts(3, delay: .milliseconds(1500)))) { _ in })
    #expect(fixed[0] == .object(["ErrorEquals": .array([.text("OperationFlow.Final")]), "MaxAttempts": .number(0)]))
    #expect(fixed[1]["IntervalSeconds"] == .number(2) && fixed[1]["BackoffRate"] == .number(1))
    #expect(fixed[1]["MaxAttempts"] == .number(2) && fixed[1]["MaxDelaySeconds"] == nil)
    let growing = try rules(
      Flow().add("a", .retry(.exponential(attempts: 5, first: .seconds(2), factor: 3, limit: .seconds(20)))) { _ in })
    #expect(growing[1]["BackoffRate"] == .number(3) && growing[1]["MaxDelaySeconds"] == .number(20))
  }

  @Test func `a lost worker's task is given to another one, within the same attempts`() throws {
    let plain = try rules(Flow().add("a") { _ in }, StateMachineOptions(redeliveries: 7))
    let lost = ["OperationFlow.Stopped", "States.HeartbeatTimeout", "States.Timeout"].map(Value.text)
    #expect(plain[1]["ErrorEquals"] == .array(lost))
    #expect(plain[1]["MaxAttempts"] == .number(7))
    let timed = try rules(Flow().add("a", .timeout(.seconds(5))) { _ in })
    #expect(timed[1]["ErrorEquals"] == .array(Array(lost.prefix(2))))
    #expect(try rules(Flow().add("a") { _ in }, StateMachineOptions(redeliveries: 0)).count == 1)
  }

  @Test func `every task has a time limit, and a heartbeat that is shorter`() throws {
    let flow = Flow().add("a", .timeout(.milliseconds(2500))) { _ in }.add("b") { _ in }.deadline(.seconds(90))
    let options = StateMachineOptions(taskTimeout: .seconds(50), heartbeat: .seconds(3))
    let machine = try Value(try flow.amazonStatesLanguage(activity: activity, options: options).json)
    let states = try #require(machine["States"]?.members)
    #expect(states["1 a"]?["TimeoutSeconds"] == .number(3) && states["1 a"]?["HeartbeatSeconds"] == nil)
    #expect(states["2 b"]?["TimeoutSeconds"] == .number(50) && states["2 b"]?["HeartbeatSeconds"] == .number(3))
    #expect(machine["TimeoutSeconds"] == .number(90))
    let long = Flow().add("a", .timeout(.seconds(30))) { _ in }
    let task = try Value(try long.amazonStatesLanguage(activity: activity).json)["States"]?["1 a"]
    #expect(task?["HeartbeatSeconds"] == .number(15), "its worker may be lost, too")
  }
}
