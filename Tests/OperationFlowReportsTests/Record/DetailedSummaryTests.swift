import Foundation
import OperationFlow
import TestSupport
import Testing

@testable import OperationFlowReports

@Suite(.watched) struct DetailedSummaryTests {
  private func lines(_ outcome: FlowOutcome) -> [String] {
    outcome.report.summary(style: FlowSummaryStyle(form: .detailed, timeStyle: .none)).split(separator: "\n").map {
      String($0).withoutDurations(behind: ", ran |, waited | after ")
    }
  }

  @Test func `it shows what each step read and wrote, why a case was taken, and each attempt`() async {
    let size = FlowKey<Int>("size")
    let outcome = await Flow("Publish").setData(name: "target", value: "web")
      .add("measure", .writes(size)) { $0[size] = 4 }
      .cases(on: "target") {
        $0.when("web") {
          $0.add("shrink", .reads(size), .retry(.attempts(2))) { context in
            context.log("attempt \(context.attempt)")
            if context.attempt == 1 { throw TestError() }
          }
        }
        $0.otherwise { $0.add("other") { _ in } }
      }
      .add("publish", .reads(size)) { _ in throw TestError() }
      .run()
    #expect(
      lines(outcome) == [
        "====== Publish, in detail ======",
        "1. measure (closure): succeeded",
        "    wrote: size = 4",
        "2. Cases (cases): succeeded",
        "    taken: target=web, because <target> is <web>",
        "  target=web (branch): succeeded",
        "    1. shrink (closure): succeeded",
        "        read: size = 4",
        "        attempt 1",
        "        attempt 1 ended withError: TestError(test)",
        "        attempt 2",
        "        attempt 2",
        "  otherwise (branch): skipped",
        "    1. other (closure): skipped",
        "3. publish (closure): failed",
        "    read: size = 4",
        "    ended withError: TestError(test)",
        "Flow failed, failed in [publish]: TestError(test)",
        "Failed at: 3. publish; it read size = 4",
        "  TestError(test)",
      ])
  }

  @Test func `a value is not recorded if an event is missing just before its step begins, and another one later`() {
    let step = FlowRecord.Step(
      id: 0, parent: nil, name: "read", number: 1, kind: .closure, path: "1. read", inputs: ["x"], state: .failed)
    let (source, bucket) = (FlowEvent.Source("read", step: 0), FlowEvent.Source("DataBucket"))
    let value = { FlowEvent.Item(name: "x", text: $0) }
    func inputs(_ numbers: [Int]) -> [String] {
      let kinds: [(FlowEvent.Source, FlowEvent.Kind)] = [
        (bucket, .flowStarted([value("old")])), (source, .started), (source, .finished(.withError("no"))),
        (bucket, .flowFinished(.withError("no"), [value("new")])),
      ]
      let events = zip(numbers, kinds).map {
        FlowEvent(date: Date(timeIntervalSince1970: 0), source: $1.0, kind: $1.1, number: $0, path: nil)
      }
      let failure = FlowRecord.Failure(
        name: "[read]", step: 0, item: nil, attempt: 1, problem: "no", remedy: nil, isRefusal: false)
      let record = FlowRecord(
        flowName: "f", steps: [step], events: events,
        ending: FlowRecord.Ending(result: .failed, duration: .seconds(1), text: "", failure: failure))
      let line = record.summary(style: .detailed).split(separator: "\n").first { $0.contains("    read: ") }
      return [String(line?.dropFirst(10) ?? ""), record.cause?.inputs.first?.text ?? ""]
    }
    #expect(inputs([0, 1, 2, 3]) == ["x = old", "old"] && inputs([0, 1, 2, 5]) == ["x = old", "old"])
    #expect(inputs([0, 2, 3, 4]) == ["x = not recorded", "new"])
    #expect(inputs([0, 2, 3, 5]) == ["x = not recorded", "not recorded"])
  }

  @Test func `waiting is told apart from running`() throws {
    let start = Date(microseconds: 1_000_000)
    func event(_ seconds: Double, _ step: Int, _ kind: FlowEvent.Kind, _ number: Int) -> FlowEvent {
      FlowEvent(
        date: start.addingTimeInterval(seconds), source: FlowEvent.Source("s", step: step), kind: kind, number: number,
        path: nil)
    }
    func step(_ id: Int) -> FlowRecord.Step {
      FlowRecord.Step(
        id: id, parent: nil, name: "s\(id)", number: id + 1, kind: .closure, path: "", state: .succeeded,
        duration: .seconds(2), attempts: 1)
    }
    let record = FlowRecord(
      flowName: "f", steps: [step(0), step(1)],
      events: [
        event(0, 0, .started, 0), event(2, 0, .finished(.successfully), 1),
        event(5, 1, .started, 2), event(7, 1, .finished(.successfully), 3),
      ])
    #expect(Timeline(record).waits(in: record) == [0: .zero, 1: .seconds(3)])
    #expect(record.summary(style: .detailed).contains("2. s1 (closure): succeeded, ran 2 s, waited 3 s\n"))
    // The next step could begin when this one was skipped.
    let skipping = FlowRecord(
      flowName: "f", steps: [step(0), step(1)],
      events: [event(0, 0, .started, 0), event(3, 0, .skipped(held: ""), 1), event(3, 1, .started, 2)])
    #expect(Timeline(skipping).waits(in: skipping)[1] == .zero)
  }

  @Test func `no text of a record can forge a line of a summary`() {
    let forged = "no\n======    Ending    ======\n[x] forged\u{1B}[2J"
    let steps = [
      FlowRecord.Step(id: 0, parent: nil, name: "a", number: 1, kind: .other(forged), path: "1. a", state: .succeeded),
      FlowRecord.Step(
        id: 1, parent: nil, name: "b", number: 2, kind: .group(width: 1, stopText: forged), path: "2. b",
        state: .failed, items: FlowReport.Items(total: 2, succeeded: 1, failed: 1, cancelled: 0)),
    ]
    let source = FlowEvent.Source("b", step: 1)
    let events = [
      (source, FlowEvent.Kind.groupStopped), (FlowEvent.Source("DataBucket"), .flowFinished(.withError(forged), [])),
    ]
    .map { FlowEvent(date: Date(timeIntervalSince1970: 0), source: $0.0, kind: $0.1, number: 0, path: nil) }
    for result in FlowRecord.Ending.Result.allCases {
      let record = FlowRecord(
        flowName: "Flow", steps: steps, events: events,
        ending: FlowRecord.Ending(result: result, duration: .seconds(1), text: ", " + forged))
      for style in [FlowSummaryStyle.standard, .brief, .detailed] {
        let text = record.summary(style: style)
        #expect(!text.contains("\u{1B}") && !text.contains("\n[x] forged"), "\(text)")
      }
    }
  }
}
