import Foundation
import OperationFlow
import TestSupport
import Testing

@testable import OperationFlowDurable

/// A journal that was changed is never accepted as intact.
@Suite(.watched) struct DurableChangeTests {
  private func flow(_ ran: Tally) -> Flow {
    Flow("Bytes")
      .add("one") { context in
        ran.add()
        context[FlowKey<String>("name")] = "ann"
      }
      .forEach(in: 0..<2, into: FlowKey<[Int]>("numbers"), width: 1) { number, _ in number }
      .cases(on: FlowKey<String>("name")) { cases in cases.when("ann") { $0.add("two") { _ in } } }
  }

  /// Checks that runs with changed entries end.
  ///
  /// A store with checksums finds such a change. Without them, as here, the entry may be another valid one.
  @Test func `an entry with a byte changed or missing stops no program`() async throws {
    let store = MemoryFlowStore()
    #expect(await flow(Tally()).run(id: "a", in: store).isSuccess)
    let entries = try #require(store.journals["a"]).withoutBegins.dropLast()
    var refusals = 0
    for place in entries.indices {
      for offset in entries[place].indices {
        for change in [0x01, 0x80, 0xFF] as [UInt8] {
          var changed = Array(entries)
          changed[place][offset] ^= change
          let outcome = await flow(Tally()).run(
            id: "a", in: MemoryFlowStore(["a": changed]), durability: .operatingSystem)
          if !outcome.isSuccess { refusals += 1 }
        }
        var cut = Array(entries)
        cut[place] = cut[place].prefix(offset)
        // An entry without its totals is valid in earlier versions.
        if (try? JournalEntry(cut[place])) != nil { continue }
        let outcome = await flow(Tally()).run(id: "a", in: MemoryFlowStore(["a": cut]), durability: .operatingSystem)
        #expect((outcome.error as? FlowError)?.code == .unreadableJournal, "entry \(place) cut at \(offset)")
      }
    }
    #expect(refusals > 0)
  }

  @Test func `entries that were left out or swapped are refused, or change nothing`() async throws {
    let store = MemoryFlowStore()
    #expect(await flow(Tally()).run(id: "a", in: store).isSuccess)
    let entries = try #require(store.journals["a"]).withoutBegins
    let data = ["name": "ann", "numbers": "[0, 1]"]
    for place in 1..<entries.count - 2 {
      var swapped = entries.dropLast()
      swapped.swapAt(place, place + 1)
      var without = entries.dropLast()
      without.remove(at: place)
      for changed in [swapped, without] {
        let outcome = await flow(Tally()).run(id: "a", in: MemoryFlowStore(["a": Array(changed)]))
        // Entries that don't depend on each other may be in any order.
        if outcome.isSuccess { #expect(outcome.report.data.mapValues { "\($0)" } == data, "entry \(place)") }
      }
    }
  }
}
