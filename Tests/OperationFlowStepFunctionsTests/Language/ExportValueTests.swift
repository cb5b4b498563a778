import Foundation
import OperationFlow
import OperationFlowDurable
import TestSupport
import Testing

@testable import OperationFlowStepFunctions

@Suite(.watched) struct ExportValueTests {
  @Test func `numbers that JSON doesn't have are read from an execution's output`() async throws {
    let (ratio, list) = (FlowKey<Double>("ratio"), FlowKey<[Double]>("list"))
    let flow = Flow("F").set(ratio, to: .infinity)
      .add("x", .reads(ratio), .writes(list)) { $0[list] = [-(try $0.require(ratio)), .nan] }
    let output = try StateMachineOutput(json: try await ExportedRun(flow).result.get().data)
    #expect(output[ratio] == .infinity)
    #expect(output[list]?.first == -.infinity && output[list]?.last?.isNaN == true)
  }

  @Test(arguments: [
    (1_800_000_000.001, "2027-01-15T08:00:01Z"), (1_800_000_000, "2027-01-15T08:00:00Z"),
  ]) func `a wait elsewhere is never shorter than here`(seconds: Double, expected: String) throws {
    let flow = Flow("W").wait(until: Date(timeIntervalSince1970: seconds), named: "date")
    let definition = try flow.amazonStatesLanguage(activity: activity)
    let state = try Value(definition.json)["States"]?["1 date"]
    #expect(state?["Timestamp"] == .text(expected))
  }

  @Test(arguments: [-1e12, -.infinity]) func `a date before the first year is one that the language takes`(
    seconds: Double
  ) throws {
    let flow = Flow("W").wait(until: Date(timeIntervalSince1970: seconds), named: "date")
    let state = try Value(flow.amazonStatesLanguage(activity: activity).json)["States"]?["1 date"]
    #expect(state?["Timestamp"]?.text?.hasPrefix("0001-") == true)
  }
}
