import Foundation
import OperationFlow
import OperationFlowDurable
import TestSupport
import Testing

@testable import OperationFlowReports

/// Checks what a page shows of a run, how much of it, and how it shows what is unknown.
@Suite(.watched)
struct PageShownTests {
  /// Returns the text of a page from one mark to another.
  private func part(_ page: String, from begin: String, to end: String) throws -> Substring {
    let first = try #require(page.range(of: begin))
    let last = try #require(page.range(of: end, range: first.upperBound..<page.endIndex))
    return page[first.lowerBound..<last.lowerBound]
  }

  @Test func `an upload that failed shows first the item, its value and its error, and all of a long one on demand`()
    async throws
  {
    let record = await PageSamples.upload()
    let page = record.page
    let cause = try part(page, from: "Why it failed", to: "Steps</h2>")
    let error = try #require(cause.range(of: "413: photo-1150.jpg is too large."))
    let item = try #require(cause.range(of: "<dt>Item</dt><dd>#1150</dd>"))
    let value = try #require(cause.range(of: "<dt>Its value</dt><dd><bdi>file:///Users/ann/Pictures/"))
    let read = try #require(cause.range(of: "The values that it reads"))
    #expect(error.lowerBound < item.lowerBound && item.lowerBound < value.lowerBound)
    #expect(value.lowerBound < read.lowerBound)
    #expect(cause.contains("photo-1150.jpg</bdi>"))
    // The error is shortened, and is also there as a whole.
    #expect(cause.components(separatedBy: "<details class=\"clamp\">").count == 2)
    // The events that were left out, of items and of their undos, may have written any value.
    #expect(cause.components(separatedBy: "<em>not recorded</em>").count == 4)
  }

  @Test func `items that failed come before the steps, unless the cause is the only one`() async throws {
    let tolerated = await Flow("Tolerated").set("numbers", to: [1, 2, 3])
      .forEach("numbers", tolerating: .all) { (number: Int, _) in
        if number == 2 { throw PageSamples.TextError(description: "two") }
      }
      .run().report.record.page
    _ = try part(tolerated, from: "Groups</h2>", to: "Steps</h2>")
    _ = try part(await PageSamples.publish().page, from: "Log</h2>", to: "Groups</h2>")
  }

  @Test func `the table of steps has the state, the times and a bar that can be seen of each`() async throws {
    let table = try part(try PageSamples.nightly().page, from: "<table class=\"steps\"", to: "</table>")
    let rows = table.components(separatedBy: "<tr data-step=").dropFirst()
    #expect(rows.count == 7)
    let failed = try #require(rows.first { $0.contains("6. register") })
    #expect(failed.contains("s-failed") && failed.contains(">+1:39:50.000<") && failed.contains(">6 s<"))
    #expect(failed.contains("b-failed\" x=\"157\" width=\"3\""))
    let last = try #require(rows.last)
    #expect(last.contains("Never ran") && !last.contains("<svg aria-hidden=\"true\" width=\"160\""))
    let resumed = try part(try await PageSamples.resumed().page, from: "<table class=\"steps\"", to: "</table>")
    for text in ["ended earlier, at <time", "↶ undo failed", "↶ undone"] { #expect(resumed.contains(text)) }
  }

  @Test func `a table of many steps has those that failed, and says that it hasn't all`() async throws {
    let page = await PageSamples.long().page
    let table = try part(page, from: "<table class=\"steps\"", to: "</table>")
    #expect(table.components(separatedBy: "<tr data-step=").count - 1 == Page.stepLimit)
    #expect(table.contains("s-failed") && page.contains(/300 of [0-9],?[0-9]{3} steps:/))
  }

  @Test func `the step with which a run failed is in the table, whatever was cancelled beside it`() async throws {
    let all = Meeting(220)
    let record = await Flow("Wide").parallel {
      for number in 0..<220 {
        $0.branch("\(number)") {
          $0.add("step \(number)") { _ in
            await all.arrive()
            if number == 219 { throw PageSamples.TextError(description: "no") }
            try await Task.sleep(for: .seconds(3_600))
          }
        }
      }
    }.run().report.record
    let failed = try #require(record.ending?.failure?.step)
    let table = try part(record.page, from: "<table class=\"steps\"", to: "</table>")
    #expect(table.contains("<tr data-step=\"\(failed)\">"))
    // A branch has no event of its own, so its bar chooses none.
    let timeline = PageTimeline(record, StepTree(record))
    #expect(timeline.spans.allSatisfy { $0.event.map(record.events.indices.contains) ?? true })
  }

  @Test func `the slowest items of a group and the retried ones are listed, by their own names if they have any`() async
  {
    let page = await Flow("Named").setData(name: "files", value: (1...8).map { "photo-\($0).jpg" })
      .forEach("files", .retry(.attempts(2)), .named("send")) { (file: String, context) in
        if file == "photo-3.jpg", context.attempt == 1 { throw PageSamples.TextError(description: "busy") }
      }.run().report.record.page
    #expect(
      page.contains("<strong>Slowest:</strong> #") && page.contains("<strong>Retried:</strong> #3 (2 attempts)</p>"))
  }

  @Test func `after a resume at any point, each item that ran is drawn, and nothing is called left out`() async throws {
    let make = {
      Flow("Files").forEach(in: 0..<4, width: 2, .retry(.attempts(5))) { _, _ in await Task.yield() }.add("index") {
        _ in
      }
    }
    let store = MemoryFlowStore()
    _ = await make().run(id: "a", in: store, durability: .operatingSystem)
    let entries = try #require(store.journals["a"])
    for count in 1..<entries.count {
      let cut = MemoryFlowStore(["a": Array(entries.prefix(count))])
      let record = await make().run(id: "a", in: cut, durability: .operatingSystem).report.record
      let timeline = PageTimeline(record, StepTree(record))
      #expect(timeline.missing.isEmpty && timeline.gaps.isEmpty && !record.page.contains("left out 0 events"))
      let started = Set(record.events.filter { $0.kind == .started }.compactMap(\.source.item))
      #expect(Set(timeline.spans.compactMap(\.item)) == started, "\(count)")
    }
  }

  @Test func `counts of steps and items add up`() async throws {
    for record in [await PageSamples.upload(), await PageSamples.items(), await PageSamples.album().report.record] {
      let page = record.page
      for name in ["Steps", "Items"] {
        let text = try part(page, from: "<dt>\(name)</dt><dd>", to: "</dd>").replacing(",", with: "")
        let numbers = text.matches(of: /\d+/).compactMap { Int($0.output) }
        #expect(numbers.count > 1 && numbers[0] == numbers.dropFirst().reduce(0, +), "\(text)")
      }
    }
    let items = FlowReport.Items(total: 1_200, succeeded: 1_000, failed: 1, cancelled: 7)
    #expect(items.text(hasEnded: true) == "1,200 items: 1,000 succeeded, 1 failed, 7 cancelled, 192 never started")
    #expect(items.rest(hasEnded: false) == "1 failed, 7 cancelled, 192 not ended yet")
    let open = FlowReport.Items(total: nil, succeeded: 3, failed: 0, cancelled: 0)
    #expect(open.text(hasEnded: false) == "3 items so far: 3 succeeded")
    #expect(open.text(hasEnded: true) == "3 items ended: 3 succeeded")
  }

  @Test func `a short text is shown as a whole, and of a long one the first lines`() {
    #expect(PageText.clamped("a <b>") == "<bdi>a &lt;b&gt;</bdi>")
    #expect(!PageText.clamped(String(repeating: "x", count: 220)).contains("<details"))
    let long = PageText.clamped(String(repeating: "x", count: 221))
    #expect(long.contains("<summary><bdi>" + String(repeating: "x", count: 200) + "…</bdi>"))
    #expect(PageText.clamped("1\n2\n3\n4").hasPrefix("<bdi>"))
    #expect(
      PageText.clamped("1\n2\n3\n4\n5")
        == "<details class=\"clamp\"><summary><bdi>1\n2\n3\n4…</bdi></summary><bdi>1\n2\n3\n4\n5</bdi></details>")
  }

  @Test func `no outline of a group's box leaves the diagram`() async throws {
    let svg = try part(await PageSamples.items().page, from: "<svg class=\"diagram\"", to: "</svg>")
    let size = try #require(svg.firstMatch(of: /width="(\d+)"/))
    let width = try #require(Int(size.output.1))
    let rects = svg.matches(of: /<rect x="(\d+)\.5" y="\d+\.5" width="(\d+)"/).compactMap { match in
      Int(match.1).flatMap { x in Int(match.2).map { x + $0 } }
    }
    // Half of the outline, which is two points wide, is outside its rectangle.
    #expect(rects.count >= 5 && rects.allSatisfy { $0 + 2 <= width }, "\(rects) in \(width)")
  }

  @Test func `of a group that is larger than the record, nothing is drawn that the record hasn't kept`() async throws {
    let record = await PageSamples.items()
    let timeline = PageTimeline(record, StepTree(record))
    let items = timeline.spans.filter { $0.item != nil }
    #expect(items.allSatisfy { $0.state == .succeeded } && timeline.lanes[0].count <= 6)
    let gap = try #require(timeline.gaps.first)
    #expect(timeline.gaps.count == 1 && items.allSatisfy { !gap.hasInside($0.start) && !gap.hasInside($0.end) })
    #expect(timeline.missing.map(\.items) == [3_000 - items.count])
    let (page, missing) = (record.page, PageText.grouped(3_000 - items.count))
    #expect(page.contains("\(missing) items of <bdi>1. numbers</bdi> aren’t drawn: the record has left out 4,000 "))
    #expect(page.contains("recorded, 4,000 left out"))
    // The trace has a slice for each of these items, and OpenTelemetry has a span.
    let spans = Timeline(record).spans.filter { if case .item = $0.subject { true } else { false } }
    #expect(spans.count == items.count && spans.allSatisfy { $0.state == .succeeded })
    let trace = try #require(try JSONSerialization.jsonObject(with: record.traceEvents()) as? [String: Any])
    let events = try #require(trace["traceEvents"] as? [[String: Any]])
    #expect(events.count { $0["ph"] as? String == "X" && $0["cat"] as? String == "item" } == items.count)
    let lanes = Set(events.filter { $0["cat"] as? String == "item" }.compactMap { $0["tid"] as? Int })
    #expect(lanes.count <= 7)
    let otlp = String(decoding: record.openTelemetrySpans(), as: UTF8.self)
    #expect(otlp.components(separatedBy: "\"name\":\"numbers #").count - 1 == items.count)
  }

  @Test func `each item that is drawn begins and ends with an event that the record has kept`() async throws {
    for record in [await PageSamples.upload(), await PageSamples.items()] {
      let origin = try #require(record.events.first).date.microseconds
      var (begins, ends) = (Set<[Int64]>(), Set<[Int64]>())
      for event in record.events {
        guard let item = event.source.item else { continue }
        let place = [Int64(item), event.date.microseconds]
        if event.kind == .started { begins.insert(place) } else { ends.insert(place) }
      }
      for span in Timeline(record).spans {
        guard case .item(_, let item) = span.subject else { continue }
        #expect(begins.contains([Int64(item), span.begin]) && ends.contains([Int64(item), span.end]), "\(span)")
      }
      for span in PageTimeline(record, StepTree(record)).spans where !span.isUndo {
        guard let item = span.item.map(Int64.init) else { continue }
        #expect(begins.contains([item, origin + span.start]) && ends.contains([item, origin + span.end]), "\(span)")
      }
    }
  }

  @Test func `a group with more items at work than lanes says so`() async {
    func page(_ count: Int) async -> String {
      let all = Meeting(count)
      return await Flow("Wide").forEach(in: 0..<count, width: count) { _, _ in await all.arrive() }
        .run().report.record.page
    }
    #expect(await page(33).contains("has all items that were at work beside 31 others"))
    #expect(!(await page(32)).contains("has all items that were at work"))
  }

  @Test func `undos that the record has left out are counted, unless an earlier version has saved it`() async throws {
    let record = await PageSamples.upload()
    let count = record.steps.reduce(0) { $0 + ($1.followUps?.undone ?? 0) }
    let undone = "Undone: <bdi>2. upload</bdi> (\(PageText.count(count, "item")))."
    #expect(record.page.contains(undone) && count > 100)
    #expect(!record.page.contains("undone at least "))
    let saved = String(decoding: try record.jsonLines(), as: UTF8.self)
    let old = try FlowRecord(jsonLines: Data(saved.replacing(#/"followUps":{[^}]*},/#, with: "").utf8))
    #expect(old.page.contains("<p class=\"note\">Undone at least: ") && old.page.contains("undone at least "))
    let whole = await PageSamples.publish().page
    #expect(whole.contains("Undone: <bdi>2. photos</bdi> (2 items).") && !whole.contains("undone at least "))
  }
}

/// Lets several pieces of work wait for each other, so that all run at the same time.
private actor Meeting {
  private var missing: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ count: Int) { missing = count }

  func arrive() async {
    missing -= 1
    guard missing > 0 else {
      for one in waiting { one.resume() }
      return waiting = []
    }
    await withCheckedContinuation { waiting.append($0) }
  }
}

extension PageTimeline.Gap {
  /// Returns true if a time is within the gap, and not at one of its ends.
  fileprivate func hasInside(_ time: Int64) -> Bool { time > start && time < end }
}
