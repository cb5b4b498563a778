import Foundation
import OperationFlow
import OperationFlowDurable
import OperationFlowReports
import TestSupport
import Testing

@testable import OperationFlowStepFunctions

/// Steps that wait, on another engine.
@Suite(.watched) struct WaitExportTests {
  private static func flow() -> Flow {
    Flow("Waits").add("one", .writes(.count)) { $0[.count] = 1 }.wait(.milliseconds(1_200), named: "pause")
      .wait(until: Date(timeIntervalSince1970: 1_000), named: "date").add("two", .writes(.total)) { $0[.total] = 2 }
  }

  @Test func `a time and a date become states in which nothing is done`() async throws {
    let run = try await expectSame(Self.flow())
    let states = try #require(try Value(run.definition.json)["States"]?.members)
    let pause = try #require(states.first { $0.key.hasSuffix("pause") }?.value)
    #expect(pause["Type"] == .text("Wait") && pause["Seconds"] == .number(2))
    let date = try #require(states.first { $0.key.hasSuffix("date") }?.value)
    #expect(date["Timestamp"] == .text("1970-01-01T00:16:40Z"))
  }

  @Test func `what another engine can't wait for is refused, each with its reason`() throws {
    let signal: FlowSignal<Int> = "signal"
    let flow = Flow("Refused").wait(for: signal).wait(until: FlowKey<Date>("date"))
      .wait(.seconds(100_000_000)).wait(.seconds(1), .undo { _ in })
    let error = #expect(throws: StateMachineExportError.self) {
      try flow.amazonStatesLanguage(activity: "arn:aws:states:eu:1:activity:a")
    }
    let problems = error?.reasons.map(\.problem) ?? []
    for part in ["a signal", "the date of a key", "99,999,999 seconds", "neither undone nor limited"] {
      #expect(problems.contains { $0.contains(part) }, "\(part) in \(problems)")
    }
  }

  @Test func `the record of an execution says when a step waited`() throws {
    let path = { (name: String) in
      try #require(Self.flow().blueprint.allSteps.first { $0.name == name }).path.description
    }
    var history = History()
    _ = history.add("ExecutionStarted", ["input": "{}"])
    let one = try history.begin(path("one"))
    history.succeed(one, output: "1")
    _ = history.add("WaitStateEntered", ["name": "2 pause"])
    _ = history.add("WaitStateExited", ["name": "2 pause"])
    _ = history.add("WaitStateEntered", ["name": "3 date"])
    let record = try FlowExecution.record(of: history.events, flow: Self.flow())
    #expect(record.steps.map(\.state) == [.succeeded, .succeeded, .running, .waiting])
    #expect(record.steps.map { $0.options.contains(.wait) } == [false, true, true, false])
    #expect(record.steps[1].duration == .seconds(1))
  }
}
