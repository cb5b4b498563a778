import Foundation
import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct RecordingTests {
  /// The items that started, finished and failed by a record, and the counts of what it left out.
  private struct Told: Equatable {
    var started: [Int] = []
    var finished: [Int] = []
    var failed: [Int] = []
    var lines: [Int] = []
    var leftOutEvents = 0
    var leftOutItems = 0

    init(_ events: [FlowEvent]) {
      for event in events {
        switch (event.kind, event.source.item) {
        case (.started, let item?): started.append(item)
        case (.finished(.withError), let item?):
          failed.append(item)
          finished.append(item)
        case (.finished, let item?): finished.append(item)
        case (.logged, let item?): lines.append(item)
        case (.leftOut(let events, let items), _):
          leftOutEvents += events
          leftOutItems += items
        default: break
        }
      }
    }
  }

  private func flow(_ count: Int, _ recording: FlowRecording, width: Int = 1, failing: Set<Int> = []) -> Flow {
    Flow().recording(recording)
      .forEach(in: 0..<count, width: width, tolerating: .all) { item, context in
        context.log("at work")
        if failing.contains(item) { throw TestError(name: "\(item)") }
      }
  }

  @Test func `the first and the last events of a large group are kept, and what lies between is counted`() async {
    let outcome = await flow(10_000, .bounded(first: 30, last: 15)).run()
    let told = Told(outcome.report.events)
    #expect(told.started == Array(0..<10) + Array(9_995..<10_000))
    #expect(told.finished == told.started && told.lines == told.started && told.failed == [])
    #expect(told.leftOutEvents == 30_000 - 45)
    #expect(told.leftOutItems == 10_000 - 15)
  }

  @Test(arguments: [1, 3]) func `every failure is kept, with what is still known of its item`(width: Int) async {
    let failing: Set = [0, 7, 500, 501, 2_000, 4_000, 4_999]
    let outcome = await flow(5_000, .bounded(first: 30, last: 30), width: width, failing: failing).run()
    let told = Told(outcome.report.events)
    #expect(Set(told.failed) == failing && told.failed.count == failing.count)
    // With several items at once, an item may be delayed until its earlier events are left out.
    if width == 1 { #expect(failing.isSubset(of: told.started) && failing.isSubset(of: told.lines)) }
    #expect(outcome.report.itemFailures.map(\.index).sorted() == failing.sorted())
    #expect(told.leftOutEvents + told.started.count + told.lines.count + told.finished.count == 15_000)
    #expect(told.leftOutItems + told.finished.count == 5_000)
  }

  @Test func `a million items leave a small record by default`() async {
    let outcome = await Flow().set("items" as FlowKey<[Int]>, to: Array(0..<TestSettings.longCount))
      .forEach("items" as FlowKey<[Int]>, width: 3) { _, _ in }.run()
    let events = outcome.report.events
    #expect(events.count < 2_100)
    #expect(Told(events).leftOutItems == TestSettings.longCount - Told(events).finished.count)
  }

  @Test func `everything is kept if that is asked for`() async {
    let told = Told(await flow(3_000, .everything).run().report.events)
    #expect(told.started == Array(0..<3_000) && told.finished == told.started && told.leftOutEvents == 0)
  }

  @Test func `with none only the beginning and the end are kept, and all else is counted`() async {
    let outcome = await flow(100, .none, failing: [3]).run()
    let kinds = outcome.report.events.map(\.kind)
    #expect(kinds.count == 3)
    guard case .flowStarted = kinds.first, case .flowFinished(.successfully, _) = kinds.last else {
      return fail("not framed: \(kinds)")
    }
    // Three events for each item, and the events of the group itself.
    #expect(Told(outcome.report.events).leftOutEvents >= 300)
    #expect(outcome.report.itemFailures.map(\.index) == [3])
  }

  @Test func `bounds below 0 are taken as 0, and steps are kept all the same`() async {
    let outcome = await Flow().recording(.bounded(first: -5, last: -5))
      .add("step") { $0.log("a line") }.run()
    #expect(
      outcome.report.lines.dropFirst().dropLast() == [
        "[step] WillStart", "[Record] 1 event left out, 0 items ended in it", "[step] DidFinish: successfully",
      ])
  }

  @Test func `a summary says what was left out, in its place`() async {
    let summary = await flow(10, .bounded(first: 3, last: 3)).run().report.summary
    let lines = summary.split(separator: "\n")
    guard let place = lines.firstIndex(where: { $0.hasSuffix("[Record] 24 events left out, 8 items ended in them") })
    else { return fail(summary) }
    #expect(lines[place - 1].hasSuffix("[forEach #1] DidFinish: successfully"))
    #expect(lines[place + 1].hasSuffix("[forEach #10] WillStart"))
  }

  @Test(arguments: [FlowRecording.none, .bounded(first: 4, last: 4)])
  func `observers and subscribers are told of everything, whatever is kept`(recording: FlowRecording) async {
    let seen = Journal<FlowEvent.Kind>()
    let mayBegin = Signal()
    let run = Flow().recording(recording).observe { seen.append($0.kind) }
      .add("wait") { _ in await mayBegin.wait() }
      .forEach(in: 0..<2_000, width: 1) { _, _ in }.start()
    var events = run.events.makeAsyncIterator()
    mayBegin.fire()
    var told = 0
    while let event = await events.next() { if event.source.item != nil { told += 1 } }
    _ = await run.outcome
    #expect(told == 4_000)
    #expect(seen.entries.count { $0 == .started } == 2_001)
  }

  @Test func `one who subscribes late is given what was kept, and everything from then on`() async {
    let (isThere, mayGoOn) = (Signal(), Signal())
    let run = Flow().recording(.bounded(first: 2, last: 2))
      .forEach(in: 0..<100, width: 1) { item, _ in
        guard item == 50 else { return }
        await isThere.fire(thenAwait: mayGoOn)
      }.start()
    await isThere.wait()
    var subscriber = run.events.makeAsyncIterator()
    mayGoOn.fire()
    var told: [FlowEvent] = []
    while let event = await subscriber.next() { told.append(event) }
    let story = Told(told)
    #expect(story.started.prefix(1) == [0] && story.finished.suffix(50) == Array(50..<100))
    #expect(story.leftOutEvents + story.started.count + story.finished.count == 200)
  }

  @Test func `names that turn out to be sensitive are hidden in what is kept, at both ends`() async {
    let outcome = await Flow().recording(.bounded(first: 2, last: 3))
      .add("writes") { context in
        for number in 0..<20 { context["secret" as FlowKey<Int>] = 4_711 + number }
        context[FlowKey<Int>("secret", sensitive: true)] = 1
      }.run()
    #expect(outcome.report.events.count { if case .replaced = $0.kind { true } else { false } } > 2)
    // The summary isn't searched, because its times may contain these digits.
    #expect(!outcome.report.lines.joined(separator: "\n").contains("47"))
  }

  @Test func `groups whose items come one after the other each have bounds, and failures, of their own`() async {
    let flow = Flow().recording(.bounded(first: 2, last: 10))
    for count in [4, 50] {
      flow.forEach(in: 0..<count, width: 1, tolerating: .all) { item, _ in
        if item == 3 { throw TestError() }
      }
    }
    let told = Told(await flow.run().report.events)
    #expect(told.failed == [3, 3])
    #expect(told.started.count { $0 == 0 } == 2)
  }

  @Test func `what was recorded before the start is never later than the start`() {
    let recorder = Recorder()
    let (later, source) = (Date(timeIntervalSinceNow: 1_000), FlowEvent.Source("test"))
    var log = EventLog()
    log.append(RecordedEvent(time: later, source: source, recordedKind: .plain(.warned("early"))))
    recorder.appendEvents(of: log)
    recorder.record(.warned("late"), source: source)
    #expect(recorder.log.events.map(\.date) == [later, later])
  }

  @Test func `a group in which every item fails is kept in part, and counted`() async {
    let count = 5_000
    let outcome = await flow(count, .standard, failing: Set(0..<count)).run()
    let told = Told(outcome.report.events)
    // The first and the last 1,000 events, and up to 1,000 more failed items with their recorded events.
    #expect(told.failed.count <= 2_100 && told.started.count <= 2_100)
    #expect(told.failed.contains(0) && told.failed.contains(count - 1))
    #expect(told.leftOutItems + told.finished.count == count)
    #expect(told.leftOutEvents + told.started.count + told.lines.count + told.finished.count == 3 * count)
    #expect(outcome.report.itemFailures.count == count)
  }

  @Test func `lines, names and errors are cut at their bounds, with how much was left out`() async {
    let (long, name) = (String(repeating: "x", count: 50_000), String(repeating: "n", count: 5_000))
    let outcome = await Flow().add("step") { context in
      context.log(long)
      context[FlowKey<Int>(name)] = 1
      context[FlowKey<Int>(name)] = nil
      context[FlowKey<Int>(name)] = 2
      throw TestError(name: long)
    }.run()
    let lines = outcome.report.lines
    #expect(lines.contains("[step] " + String(repeating: "x", count: 4_000) + "… (46000 more bytes)"))
    #expect(lines.contains("[DataBucket] add for " + String(repeating: "n", count: 200) + "… (4800 more bytes): 1"))
    #expect(lines.contains { $0.hasPrefix("[step] DidFinish: withError: ") && $0.hasSuffix(" more bytes)") })
    #expect(outcome.report.summary.count < 12_000)
    #expect(outcome.report[FlowKey<Int>(name)] == 2)
  }

  @Test func `a long name that is sensitive is hidden`() async {
    let name = String(repeating: "n", count: 5_000)
    let outcome = await Flow().set(FlowKey<String>(name), to: "hunter2").add("step") { context in
      context[FlowKey<String>(name)] = "hunter2"
      context[FlowKey<String>(name, sensitive: true)] = "other"
    }.run()
    #expect(!outcome.report.summary.contains("hunter2"))
  }

  @Test func `an item that is left out with a retry and a recovery is counted once`() {
    func event(_ item: Int, _ kind: FlowEvent.Kind, _ failure: FlowEvent.Source.Failure = .own) -> RecordedEvent {
      let source = FlowEvent.Source("g", step: 0, item: item).failing(failure)
      return RecordedEvent(time: Date(), source: source, recordedKind: .plain(kind))
    }
    var share = StepShare(step: 0)
    share.leaveOut(event(0, .finished(.withError("no")), .retried))
    share.leaveOut(event(0, .finished(.withError("no")), .recovering))
    share.leaveOut(event(0, .recovered(.withError("no"))))
    share.leaveOut(event(1, .finished(.withError("no")), .retried))
    share.leaveOut(event(1, .finished(.successfully)))
    #expect(share.leftOut?.kind == .leftOut(events: 5, items: 2))
  }
}
