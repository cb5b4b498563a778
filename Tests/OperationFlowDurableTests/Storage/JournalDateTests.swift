import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

@Suite(.watched) struct JournalDateTests {
  @Test func `a date in whole milliseconds is the same after any number of journals`() throws {
    var (random, changed) = (SplitMix(seed: TestSettings.firstSeed()), [Date]())
    for _ in 0..<10_000 {
      let date = Date(timeIntervalSince1970: .random(in: -1e9...4e9, using: &random)).inWholeMilliseconds
      var writer = JournalWriter()
      writer.date(date)
      var reader = JournalReader(writer.data)
      if try reader.date() != date { changed.append(date) }
    }
    #expect(changed == [])
  }

  @Test func `a checkpoint keeps the times of starts that came after the clock was set back`() throws {
    let start = Date(timeIntervalSince1970: 1_700_000_000)
    let entries = [3_600, 0, 1].enumerated().map { index, seconds in
      JournalEntry.settled(
        JournalSettlement(
          date: start.addingTimeInterval(seconds), work: RunWork(.item, of: 0, item: index), attempt: 1,
          result: .succeeded)
      ).data
    }
    let folded = try JournalCompaction.folded(entries, ratePeriod: { _ in .seconds(10) }) { _ in false }
    #expect(folded == entries)
  }
}
