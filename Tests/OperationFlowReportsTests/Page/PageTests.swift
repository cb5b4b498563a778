import Foundation
import OperationFlow
import OperationFlowReports
import OperationFlowTesting
import TestSupport
import Testing

@Suite(.watched)
struct PageTests {
  @Test func `a run that failed shows the step, the error and the values that it read`() async throws {
    let page = await PageSamples.album().report.record.page
    let cause = try #require(page.range(of: "Why it failed"))
    let end = try #require(page.range(of: "Steps</h2>"))
    let text = page[cause.lowerBound..<end.lowerBound]
    #expect(text.contains("quota(used: 40, allowed: 25)") && text.contains("5. publish"))
    #expect(text.contains("https://example.com/albums/7") && text.contains("1. Gallery &gt; 2. upload"))
    #expect(page.contains("40 items: 37 succeeded, 3 failed") && page.contains("[photos #21]"))
  }

  @Test func `a value that changed after the failure is shown as it was when the step failed`() async throws {
    let key = FlowKey<String>("state")
    let page = await Flow("Later").set(key, to: "before")
      .add("fail", .reads(key)) { _ in throw PageSamples.TextError(description: "no") }
      .always { $0.add("tidy") { context in context[key] = "after" } }
      .run().report.record.page
    let cause = try #require(page.range(of: "Why it failed"))
    let end = try #require(page.range(of: "Steps</h2>"))
    let text = page[cause.lowerBound..<end.lowerBound]
    #expect(text.contains("before") && !text.contains("after</bdi>"))
  }

  @Test func `a missing input is shown with its remedy`() async throws {
    let page = await Flow("Missing").add("read", .writesNothing) { context in
      let _: Int = try context.require("absent")
    }
    .run().report.record.page
    #expect(page.contains("absent") && page.contains("What to do:"))
  }

  @Test func `a run that is under way says what it waits for, and no longer once it has ended`() async {
    let (reached, release) = (Signal(), Signal())
    let run = Flow("Under way").add("<b>second</b>") { _ in await reached.fire(thenAwait: release) }.start()
    await reached.wait()
    let page = run.page
    #expect(page.contains("What it was doing") && page.contains("&lt;b&gt;second&lt;/b&gt; runs, for "))
    #expect(!page.contains("<b>second</b>"))
    release.fire()
    let record = await run.outcome.report.record
    #expect(run.page == record.page && !run.page.contains("What it was doing"))
  }

  @Test func `the page of a run under way ends now, and not with the last event`() async {
    let (clock, reached, release) = (ManualClock(), Signal(), Signal())
    let run = Flow("Long").add("work") { _ in await reached.fire(thenAwait: release) }.clock(clock).start()
    await reached.wait()
    await clock.advance(by: .seconds(3_600))
    let page = run.page
    #expect(page.contains("<dt>So far</dt><dd>1 h</dd>") && page.contains("data-name=\"Duration\">1 h</td>"))
    release.fire()
    _ = await run.outcome
  }

  @Test func `runs that haven't failed say so`() async throws {
    let running = await PageSamples.running().page
    #expect(running.contains(">Under way</span>") && running.contains("was under way when this page was made"))
    #expect(running.contains("s-running") && running.contains("s-waiting"))
    let cancelled = await PageSamples.cancelled().page
    #expect(cancelled.contains(">Cancelled</span>") && !cancelled.contains("Why it failed"))
    #expect(cancelled.contains("<bdi>The run was cancelled by a call of cancel().</bdi>"))
    let refused = await PageSamples.refused().page
    #expect(refused.contains("Refused: nothing ran") && refused.contains("Why it failed"))
    let empty = await PageSamples.empty().page
    #expect(empty.contains("The record has no steps.") && empty.contains(">Succeeded</span>"))
  }

  @Test func `a thousand nested flows have a page of bounded depth`() async throws {
    let page = await PageSamples.nested().page
    #expect(page.contains("too deep") && page.contains("992 steps within"))
    #expect(page.utf8.count < 1_000_000)
  }

  @Test func `a long flow's diagram shows the step that failed, and counts those that are left out`() async throws {
    let page = await PageSamples.long().page
    let boxes = page.components(separatedBy: "<g class=\"box").count - 1
    #expect(boxes < 60 && page.contains("more steps, succeeded"))
    #expect(page.contains("<g class=\"box s-failed\""))
  }

  @Test func `a group of a million items is one box with counts`() async throws {
    let count = TestSettings.longCount
    let record = await Flow("Million").setData(name: "numbers", value: Array(0..<count))
      .forEach("numbers", width: 4, tolerating: .all) { (number: Int, _) in
        if number.isMultiple(of: count / 4) { throw PageSamples.TextError(description: "refused") }
      }
      .run().report.record
    let page = record.page
    let failed = record.steps.first?.items?.failed ?? 0
    #expect(failed >= 4)
    #expect(page.components(separatedBy: "<g class=\"box").count == 2)
    #expect(page.contains(" succeeded, \(failed) failed") && page.utf8.count < 2_000_000)
    #expect(page.contains("The record has left out"))
  }

  @Test func `a saved record with numbers that can't be right has a page`() async throws {
    let lines = try await PageSamples.album().report.record.jsonLines()
    let text = String(decoding: lines, as: UTF8.self)
    var pages: Set<String> = []
    // Some records with these numbers are unreadable. The readable ones have the largest possible numbers.
    let numbers = [Int.max, 4 << 60, -4 << 60, 1 << 60, -1 << 60, 1 << 40].map(String.init)
    for number in numbers {
      for field in ["succeeded", "failed", "total", "duration", "attempts", "step", "item", "parent", "id", "width"] {
        let changed = text.replacing(try Regex("\"\(field)\":\\d+"), with: "\"\(field)\":\(number)")
        guard let record = try? FlowRecord(jsonLines: Data(changed.utf8)) else { continue }
        pages.insert(record.page)
      }
      let late = text.replacing(try Regex("\"time\":\\d+8,?"), with: "\"time\":\(number.prefix(17))")
      if let record = try? FlowRecord(jsonLines: Data(late.utf8)) { pages.insert(record.page) }
    }
    #expect(pages.count >= 20 && pages.allSatisfy { $0.hasSuffix("</html>\n") })
  }

  @Test func `a page needs nothing from outside`() async {
    let page = await PageSamples.album().report.record.page
    let markup = page.replacingOccurrences(of: "https://example.com/albums/7", with: "")
      .replacingOccurrences(of: "http://www.w3.org/2000/svg", with: "")
    for word in ["http:", "https:", " src=", "<link", "@import", "url(", " style=", " onclick="] {
      #expect(!markup.contains(word), "\(word)")
    }
    #expect(markup.contains("default-src 'none'"))
  }

  @Test func `the timeline can be moved with buttons, and has the texts of its durations`() async {
    let page = await PageSamples.album().report.record.page
    for name in ["earlier", "later"] {
      #expect(page.contains("<button type=\"button\" id=\"\(name)\">") && page.contains("find('\(name)').addEvent"))
    }
    #expect(page.contains("'Shows all ' + data.length") && page.contains(/,"length":"[0-9][^"]*","words"/))
  }

  @Test func `what could not be undone is told with the cause, before what was undone`() async throws {
    let page = await Flow("Trip")
      .add("hotel", .undo { _ in throw TestError(name: "full") }) { _ in }
      .add("car", .undo { _ in }) { _ in }
      .add("pay") { _ in throw TestError(name: "declined") }
      .run().report.record.page
    #expect(
      page.contains(
        "<div class=\"error\"><strong>Undo failed:</strong> <bdi>1. hotel: TestError(full)</bdi></div>\n"
          + "<p class=\"note\">Undone: <bdi>2. car</bdi>.</p>"
      ))
    #expect(page.contains("s-failed\"><svg aria-hidden=\"true\" width=\"14\" height=\"14\">"))
    #expect(page.contains("</svg>1 undo failed</span>"))
    let diagram = try #require(page.components(separatedBy: "<svg class=\"diagram\"").last)
    let drawing = diagram.components(separatedBy: "</svg>\n</div>")[0]
    #expect(drawing.contains("↶ undo failed") && drawing.contains("↶ undone") && !drawing.contains("can be undone"))
  }
}
