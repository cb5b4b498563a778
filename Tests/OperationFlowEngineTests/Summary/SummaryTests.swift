import Foundation
import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct SummaryTests {
  /// Returns the summary of events at 2026-01-31, 15:17:18.042 UTC.
  private func summary(
    _ events: [(FlowEvent.Source, FlowEvent.Kind)], _ style: FlowSummaryStyle.TimeStyle = .standard,
    zone: String = "UTC"
  ) throws -> String {
    let date = Date(timeIntervalSince1970: 1_769_872_638.042)
    let zone = try #require(TimeZone(identifier: zone))
    let events = events.map { FlowEvent(date: date, source: $0.0, kind: $0.1, number: 0, path: nil) }
    return record(events).summary(style: FlowSummaryStyle(form: .events, timeStyle: style, timeZone: zone))
  }

  private func record(_ events: [FlowEvent]) -> FlowRecord {
    FlowRecord(flowName: "Flow", steps: [], events: events)
  }

  @Test func `a summary reads as the predecessor's, to the letter`() throws {
    let login = FlowEvent.Source("LoginOp")
    let text = try summary([
      (.dataBucket, .flowStarted([.init(name: "email", text: "a@b.c"), .init(name: "password", text: "<redacted>")])),
      (login, .started), (.dataBucket, .added(name: "token", text: "abc")),
      (.dataBucket, .replaced(name: "token", old: "abc", new: "def")),
      (login, .finished(.successfully)), (FlowEvent.Source("UploadOp", item: 3), .finished(.withError("no"))),
      (.dataBucket, .flowFinished(.successfully, [.init(name: "token", text: "def")])),
    ])
    #expect(
      text == """
        ====== Flow Summary ======
        3:17:18 PM [DataBucket] start with:
        email: a@b.c
        password: <redacted>
        3:17:18 PM [LoginOp] WillStart
        3:17:18 PM [DataBucket] add for token: abc
        3:17:18 PM [DataBucket] replace for token: abc -> def
        3:17:18 PM [LoginOp] DidFinish: successfully
        3:17:18 PM [UploadOp #4] DidFinish: withError: no
        3:17:18 PM [DataBucket] end with:
        token: def
        Flow isSuccess: true
        ======    Ending    ======

        """)
    #expect(text.unicodeScalars.allSatisfy { $0.isASCII })
  }

  @Test func `what an item writes for itself has no line, unless the style says so`() throws {
    let item = FlowEvent.Source("UploadOp", item: 0)
    let events: [(FlowEvent.Source, FlowEvent.Kind)] = [
      (item, .started), (item, .added(name: "url", text: "a")), (item, .replaced(name: "url", old: "a", new: "b")),
      (item, .logged("uploaded", .info)), (item, .removed(name: "url", old: "b")), (item, .finished(.successfully)),
      (.dataBucket, .added(name: "urls", text: "[b]")),
    ]
    func whats(_ style: FlowSummaryStyle) throws -> [String] {
      let events = events.map {
        FlowEvent(date: Date(timeIntervalSince1970: 0), source: $0.0, kind: $0.1, number: 0, path: nil)
      }
      let text = record(events).summary(style: style)
      return text.split(separator: "\n").filter { $0.contains("[") }.map { String($0.drop { $0 != "[" }) }
    }
    let shown = [
      "[UploadOp #1] WillStart", "[UploadOp #1] uploaded", "[UploadOp #1] DidFinish: successfully",
      "[DataBucket] add for urls: [b]",
    ]
    #expect(try whats(.standard) == shown)
    #expect(try whats(FlowSummaryStyle(timeStyle: .milliseconds)) == shown)
    let all = try whats(FlowSummaryStyle(showsItemWrites: true))
    #expect(all.count == events.count && all.contains("[UploadOp #1] replace for url: a -> b"))
  }

  @Test func `every kind of event has its words`() throws {
    let source = FlowEvent.Source("X")
    let words: [(FlowEvent.Kind, String)] = [
      (.finished(.withInsufficientInputData("p")), "DidFinish: withInsufficientInputData: p"),
      (.finished(.withMismatchInputDataType("p")), "DidFinish: withMismatchInputDataType: p"),
      (.finished(.cancelled), "DidFinish: cancelled"), (.warned("w"), "warning: w"),
      (.removed(name: "n", old: "o"), "remove for n: o"), (.groupCreated(count: 5), "group created: 5"),
      (.groupIsEmpty(input: "in"), "no operation to run for group: <in> is empty"),
      (.groupFinished(outputCount: 4), "all finished. output size: 4"),
      (.groupStopped, "not allow failure in group. stop immediately."), (.caseChosen("k=v"), "chosen: k=v"),
      (.noCaseMatched(held: "<k> is missing."), "no case is matched. finished in early. <k> is missing."),
      (.cancelRequested, "cancel"),
    ]
    for (kind, text) in words { #expect(try summary([(source, kind)]).contains("3:17:18 PM [X] \(text)\n")) }
  }

  @Test func `a line says its level if it is more than information`() throws {
    let words: [(FlowLogLevel, String)] = [(.debug, "m"), (.info, "m"), (.warning, "warning: m"), (.error, "error: m")]
    for (level, text) in words {
      #expect(try summary([(FlowEvent.Source("X"), .logged("m", level))]).contains("3:17:18 PM [X] \(text)\n"))
    }
  }

  @Test(arguments: [
    (FlowSummaryStyle.TimeStyle.standard, "UTC", "3:17:18 PM"), (.standard, "Asia/Tokyo", "12:17:18 AM"),
    (.milliseconds, "UTC", "15:17:18.042"), (.iso8601, "Europe/Berlin", "2026-01-31T16:17:18.042+0100"),
    (.iso8601, "America/St_Johns", "2026-01-31T11:47:18.042-0330"), (.custom("yyyy"), "UTC", "2026"),
  ]) func `time style and zone can be set`(style: FlowSummaryStyle.TimeStyle, zone: String, time: String) throws {
    #expect(
      try summary([(FlowEvent.Source("Group"), .groupStopped)], style, zone: zone).contains(
        "\n\(time) [Group] not allow"))
  }

  @Test(arguments: ["UTC", "Asia/Tokyo", "America/St_Johns", "Europe/Berlin"])
  func `a time in the standard style is that of a formatter`(zone: String) throws {
    let zone = try #require(TimeZone(identifier: zone))
    let formatter = DateFormatter()
    (formatter.locale, formatter.timeZone) = (Locale(identifier: "en_US_POSIX"), zone)
    formatter.dateFormat = FlowSummaryStyle.TimeStyle.standard.format
    let time = FlowSummaryStyle(timeZone: zone).timeText()
    var random = SplitMix(seed: 17)
    for _ in 0..<2_000 {
      let date = Date(timeIntervalSince1970: .random(in: -2e9..<2e9, using: &random))
      #expect(time(date) == formatter.string(from: date) + " ")
    }
  }

  @Test func `a program that can open no more files can print its summary`() async {
    await #expect(processExitsWith: .success) {
      let outcome = await Flow().add("step") { _ in }.run()
      while open("/dev/null", O_RDONLY) >= 0 {}
      guard outcome.report.summary.contains("M [step] WillStart\n") else { exit(EXIT_FAILURE) }
    }
  }

  @Test func `the last line says how it ended`() async throws {
    #expect(try summary([]).contains("Flow isSuccess: not finished\n"))
    #expect(try summary([(.dataBucket, .flowFinished(.cancelled, []))]).contains("Flow isSuccess: false\n"))
    let flow = Flow()
    #expect(flow.generateSummary().contains("not finished"))
    flow.step { $0.finishWithError(error: TestError()) }
    let outcome = await flow.run()
    #expect(flow.generateSummary().hasSuffix("TestError(test)\nFailed at: 1. BlockOp\n======    Ending    ======\n"))
    #expect(flow.generateSummary() == outcome.report.summary)
  }

  @Test func `listings are sorted by name`() async {
    let values = Dictionary(uniqueKeysWithValues: (0..<50).map { ("key\($0 + 10)", $0) })
    let lines = await Flow().setDataBucket(dataBucket: values).run().report.summary.split(separator: "\n")
    let names = lines.filter { $0.hasPrefix("key") }
    #expect(names.count == 100)
    #expect(Array(names.prefix(50)) == names.prefix(50).sorted())
  }

  @Test func `an asynchronous step's lines stand where they happened`() async throws {
    let lines = await Flow().step("slow") { operation in
      operation.startWithAsynchronous()
      DispatchQueue.global().async {
        operation.log(message: "in between")
        operation.setData(name: "number", value: 5)
        operation.finishSuccessfully()
      }
    }.run().report.summary.split(separator: "\n").map { $0.drop { $0 != "[" } }
    #expect(
      lines.filter { $0.hasPrefix("[") }.dropFirst().dropLast() == [
        "[slow] WillStart", "[slow] in between", "[DataBucket] add for number: 5", "[slow] DidFinish: successfully",
      ])
  }

  @Test func `items that were tried again at the same time are not failed items`() throws {
    func item(_ index: Int, _ failure: FlowEvent.Source.Failure = .own) -> FlowEvent.Source {
      FlowEvent.Source("g", step: 0, item: index).failing(failure)
    }
    let failed = (0..<60).map { (item($0, .retried), FlowEvent.Kind.finished(.withError("no"))) }
    let recovered = (60..<90).flatMap { index in
      [
        (item(index, .recovering), FlowEvent.Kind.finished(.withError("no"))),
        (item(index), .recovered(.withError("no"))),
      ]
    }
    let succeeded = (0..<60).map { (item($0), FlowEvent.Kind.finished(.successfully)) }
    for style in [FlowSummaryStyle.TimeStyle.none, .milliseconds] {
      let text = try summary(failed + recovered + succeeded, style)
      #expect(!text.contains("not listed") && text.contains("[g #60] DidFinish: successfully"))
    }
  }
}
