import OperationFlow
import OperationFlowDurable
import OperationFlowReports
import TestSupport
import Testing

@Suite(.watched) struct EndedRunRecordTests {
  private struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  private static let password = FlowKey<String>("password", sensitive: true)

  @Test(arguments: [FlowReport.Cancellation.call, .task, .progress, .signal(.interrupt), .signal(.terminate)])
  func `a run that was cancelled has the same cause when it is asked for again`(cause: FlowReport.Cancellation) async {
    let (store, running) = (MemoryFlowStore(), Tally())
    let make = { Flow("Wait").add("wait") { _ async in await running.addUntilCancelled() } }
    let run = make().start(id: "a", in: store)
    await running.reach(1)
    run.cancel(by: cause)
    #expect(await run.outcome.report.cancellation == cause)
    #expect(await make().run(id: "a", in: store).report.cancellation == cause)
  }

  @Test func `the record of a run that had ended before has its end and that of each step, and no events`() async throws
  {
    let store = MemoryFlowStore()
    let make = { Flow("Nightly").add("first") { _ in }.add("second") { _ in throw Refusal(description: "no room") } }
    let first = await make().run(id: "a", in: store).report
    let second = await make().run(id: "a", in: store).report
    let (ending, cause) = (try #require(second.record.ending), try #require(second.record.cause))
    #expect(ending.result == .failed && ending.duration == first.record.ending?.duration)
    #expect(ending.text == first.record.ending?.text)
    #expect(cause.problem == "no room" && cause.name == "[second]")
    #expect(second.steps.map(\.end) == [.succeeded, .failed] && second.steps.allSatisfy { $0.beforeResume != nil })
    #expect(second.record.steps.map(\.state) == first.record.steps.map(\.state) && second.record.events.isEmpty)
    #expect(second.summary.contains("\nFlow isSuccess: false, failed in [second]: no room\n"))
    let brief = second.summary(style: .brief).split(separator: "\n")
    #expect(
      brief[0].hasPrefix("Nightly: had ended before, failed after ")
        && brief[0].hasSuffix(" at 2. second") && brief.count == 4, "\(brief)")
    #expect(second.summary(style: .detailed).contains("\nFlow failed after "))
  }

  @Test func `a run that had succeeded or was cancelled before is not under way in its record`() async {
    let store = MemoryFlowStore()
    for earlier in ["", "had ended before, "] {
      let succeeded = await Flow("Good").add("only") { _ in }.run(id: "a", in: store).report.record
      #expect(succeeded.ending?.result == .succeeded && succeeded.summary().contains("Flow isSuccess: true\n"))
      let cancelled = await Flow("Gone").add("only") { _ in throw CancellationError() }.run(id: "b", in: store)
      #expect(cancelled.report.record.ending?.result == .cancelled)
      #expect(cancelled.report.record.summary(style: .brief).hasPrefix("Gone: \(earlier)cancelled after "))
    }
  }

  @Test func `the record of a run that had ended before hides what the first one had hidden`() async throws {
    let store = MemoryFlowStore()
    let make = {
      Flow("Items").set(Self.password, to: "hunter2-s3cr3t").setData(name: "token", value: "tk-123456")
        .forEach(in: ["a"], tolerating: .all) { _, context in
          let token: String = try context.require("token")
          throw Refusal(description: "wrong: \(try context.require(Self.password)), \(token)")
        }
        .add("last") { context in throw Refusal(description: "refused \(try context.require(Self.password))") }
    }
    for _ in 0..<2 {
      let record = await make().run(id: "a", in: store).report.record
      #expect(record.itemFailures.map(\.error) == ["wrong: <redacted>, <redacted>"])
      #expect(record.cause?.problem == "refused <redacted>")
      #expect(record.ending?.text.contains("hunter2") == false)
    }
  }
}
