import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowReports

/// States, results, levels and meanings are the same in a run, in its record, and in a saved record.
///
/// Their names are written out here: a build without reflection metadata has no names of cases.
@Suite(.watched) struct RecordNamesTests {
  private static let start = Date(timeIntervalSinceReferenceDate: 700_000_000)

  private static func step(_ id: Int, _ state: FlowRecord.State) -> FlowRecord.Step {
    FlowRecord.Step(
      id: id, parent: nil, name: "step \(id)", number: id + 1, kind: .closure, path: "step", inputs: [], outputs: [],
      options: [], state: state, duration: nil, beforeResume: nil, attempts: 1, items: nil)
  }

  private static func saved(_ record: FlowRecord) throws -> (text: String, loaded: FlowRecord) {
    let data = try JSONEncoder().encode(record)
    return (String(decoding: data, as: UTF8.self), try JSONDecoder().decode(FlowRecord.self, from: data))
  }

  @Test func `each state of a step is the same in a run, in its record and in a saved one`() throws {
    let names: [FlowRecord.State: String] = [
      .waiting: "waiting", .running: "running", .succeeded: "succeeded", .failed: "failed", .cancelled: "cancelled",
      .skipped: "skipped", .neverRan: "neverRan",
    ]
    let states = FlowRecord.State.allCases
    let record = FlowRecord(
      flowName: "f", steps: states.enumerated().map { Self.step($0.offset, $0.element) }, events: [])
    #expect(record.steps.map(\.state) == states && names.count == states.count)
    for state in states {
      let (text, loaded) = try Self.saved(FlowRecord(flowName: "f", steps: [Self.step(0, state)], events: []))
      #expect(text.contains("\"state\":\"\(names[state] ?? "")\"") && loaded.steps.map(\.state) == [state])
    }
  }

  @Test(arguments: [("succeeded", FlowRecord.Ending.Result.succeeded), ("failed", .failed), ("cancelled", .cancelled)])
  func `each result is the same in a run, in its record and in a saved one`(
    name: String, result: FlowRecord.Ending.Result
  ) throws {
    let ending = FlowRecord.Ending(result: result, duration: .seconds(1), text: "", failure: nil)
    let record = FlowRecord(flowName: "f", steps: [], events: [], ending: ending)
    let (text, loaded) = try Self.saved(record)
    #expect(record.ending?.result == result && loaded.ending?.result == result)
    #expect(text.contains("\"result\":\"\(name)\""))
    #expect(record.summary(style: .brief).hasSuffix("\(name) after 1 s\n"))
    #expect(FlowRecord.Ending.Result.allCases.count == 3)
  }

  @Test(arguments: [
    ("debug", FlowLogLevel.debug), ("info", .info), ("warning", .warning), ("error", .error),
  ])
  func `each level of a line has its name in a saved record, in a trace and in a text`(
    name: String, level: FlowLogLevel
  ) throws {
    let event = FlowEvent(
      date: Self.start, source: FlowEvent.Source("a"), kind: .logged("line", level), number: 0, path: nil)
    let (text, loaded) = try Self.saved(FlowRecord(flowName: "f", steps: [], events: [event]))
    #expect(text.contains("\"level\":\"\(name)\"") && loaded.events == [event] && "\(level)" == name)
    #expect(FlowLogLevel.allCases.count == 4)
  }

  @Test(arguments: [
    (nil, FlowEvent.Source.Failure.own), ("retried", .retried), ("recovering", .recovering), ("passedOn", .passedOn),
  ])
  func `each meaning of a failure has its name in a saved record`(name: String?, failure: FlowEvent.Source.Failure)
    throws
  {
    let event = FlowEvent(
      date: Self.start, source: FlowEvent.Source("a").failing(failure), kind: .finished(.withError("no")), number: 0,
      path: nil)
    let (text, loaded) = try Self.saved(FlowRecord(flowName: "f", steps: [], events: [event]))
    #expect(name.map { text.contains("\"meaning\":\"\($0)\"") } ?? !text.contains("meaning"))
    #expect(loaded.events == [event] && loaded.events[0].source.failure == failure)
    #expect(FlowEvent.Source.Failure.allCases.count == 4)
  }

  @Test func `the ends of steps are printed by their names`() {
    let names = FlowReport.StepEnd.allCases.map { "\($0)" }
    #expect(names == ["succeeded", "failed", "cancelled", "skipped", "neverRan"])
  }
}
