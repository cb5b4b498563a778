import Foundation
import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

@Suite(.watched)
struct PageDataTests {
  @Test func `the data of a page parses back, and holds every event`() async throws {
    let record = await PageSamples.album().report.record
    let data = try PageParts(record.page)
    let events = try #require(data.json["events"] as? [[Any]])
    let names = try #require(data.json["names"] as? [String])
    let words = try #require(data.json["words"] as? [[String]])
    let start = try #require(data.json["start"] as? Int)
    #expect(events.count == record.events.count)
    for (row, event) in zip(events, record.events) {
      #expect(row[0] as? Int == event.number)
      let time = try start + #require(row[1] as? Int)
      #expect(abs(Double(time) / 1_000_000 - event.date.timeIntervalSince1970) < 0.000_002)
      #expect(try names[#require(row[4] as? Int)] == event.source.name)
      #expect(row[5] as? Int == event.step ?? -1)
      #expect(row[6] as? Int == event.source.item ?? -1)
      #expect(row[7] as? Int == event.attempt)
      let word = try words[#require(row[2] as? Int)][2]
      switch event.kind {
      case .started: #expect(word == "started")
      case .logged(let text, let level):
        #expect(word == "logged" && row[8] as? String == text && row[3] as? Int == level.rawValue)
      case .added(let name, let text):
        #expect(word == "added" && row[8] as? String == name && row[9] as? String == text && row[10] is NSNull)
      case .replaced(let name, let old, let new):
        #expect(word == "replaced" && row[8] as? String == name)
        #expect(row[9] as? String == new && row[10] as? String == old)
      case .finished(.withError(let text)):
        #expect(word == (event.isRetried ? "retried" : "failed") && row[8] as? String == text)
      case .flowStarted(let items):
        #expect(row[9] as? [[String]] == items.map { [$0.name, $0.text] })
      default: break
      }
    }
    let steps = try #require(data.json["steps"] as? [[Any]])
    #expect(steps.map { $0[0] as? Int } == record.steps.map(\.id))
    #expect(steps.map { $0[2] as? String } == record.steps.map(\.name))
  }

  @Test func `texts that a script or an element could begin with are the same after parsing`() async throws {
    let record = await PageSamples.injected().report.record
    let parts = try PageParts(record.page)
    let names = try #require(parts.json["names"] as? [String])
    for text in PageSamples.nasty { #expect(names.contains(text)) }
    let failure = try #require((parts.json["events"] as? [[Any]])?.last { $0[8] as? String != "" })
    #expect(failure[8] as? String == PageSamples.injection + PageSamples.nasty[1])
  }

  @Test func `what came from data is escaped in every place`() async throws {
    for record in [await PageSamples.injected().report.record] {
      let page = record.page
      #expect(!page.contains("<script>alert") && !page.contains("<img") && !page.contains("<![CDATA["))
      #expect(page.components(separatedBy: "<script").count == 3)
      #expect(page.components(separatedBy: "</script").count == 3)
      // The data has no character that could end its element, and no line separator.
      let json = try PageParts(page).text
      #expect(!json.contains { "<>&\u{2028}\u{2029}".contains($0) })
      // The page itself has no invisible characters, and none that change the direction of writing.
      let other = page.unicodeScalars.filter {
        $0.value < 0x20 && !"\n\t".unicodeScalars.contains($0) || (0x202A...0x202E).contains($0.value) || $0 == "\u{1B}"
      }
      #expect(other.isEmpty)
    }
  }

  @Test func `sensitive values are not in a page`() async {
    let page = await PageSamples.album().report.record.page
    #expect(page.contains("token") && page.contains("&lt;redacted&gt;"))
    #expect(!page.contains("hunter2"))
  }

  @Test func `a page grows by the same number of characters for each event`() async {
    func size(_ count: Int) async -> Int {
      let record = await Flow("Counted").recording(.everything)
        .setData(name: "numbers", value: Array(repeating: 0, count: count))
        .forEach("numbers", tolerating: .none) { (_: Int, _) in }
        .run().report.record
      #expect(record.events.count >= count * 2)
      return record.page.utf8.count
    }
    let (small, medium, large) = (await size(500), await size(2_500), await size(10_500))
    let (first, second) = (Double(medium - small) / 4_000, Double(large - medium) / 16_000)
    #expect(second < first * 1.2 && second < 150, "\(first), then \(second) characters for each event")
  }
}

/// The data of a page.
struct PageParts {
  let text: Substring
  let json: [String: Any]

  init(_ page: String) throws {
    let begin = try #require(page.range(of: "<script type=\"application/json\" id=\"data\">"))
    let end = try #require(page.range(of: "</script>", range: begin.upperBound..<page.endIndex))
    text = page[begin.upperBound..<end.lowerBound]
    json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }
}
