import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Runs that resume from a file that was cut or changed at random places, or that lacks a byte.
///
/// The result is right, or the run is refused.
@Suite(.long) struct DamagedRunTests {
  private static func flow() -> Flow {
    let numbers: FlowKey<[Int]> = "numbers"
    return Flow("Damaged")
      .add("one", .undo { _ in }) { $0[FlowKey<String>("name")] = "ann" }
      .forEach(in: 0..<12, into: numbers, width: 3) { number, _ async in number * number }
      .cases(on: FlowKey<String>("name")) { cases in
        cases.when("ann") { $0.add("is ann") { $0[FlowKey<Int>("sum")] = try $0.require(numbers).reduce(0, +) } }
        cases.otherwise { $0.add("is other") { $0[FlowKey<Int>("sum")] = -1 } }
      }
      .add("retried", .retry(.attempts(2))) { if $0.attempt == 1 { throw TestError(name: "first") } }
      .add("last") { $0[FlowKey<Int>("last")] = ($0[FlowKey<Int>("sum")] ?? 0) + 1 }
  }

  @Test func `a run resumes rightly from a damaged file, or is refused with the reason`() async throws {
    let memory = MemoryFlowStore()
    let expected = DurableCheck.text(
      of: await Self.flow().run(id: "a", in: memory, durability: .operatingSystem), false)
    let entries = try #require(memory.journals["a"]).withoutBegins
    let (refusals, resumes) = (Tally(), Tally())
    try await withJournalFolder { folder in
      await forEachSeed(count: 60) { seed in
        var random = SplitMix(seed: seed)
        let store = FileFlowStore(folder: folder.appendingPathComponent("\(seed)"))
        // Some journals are synchronized in the middle, some have a checkpoint, and some have ended.
        let count = 1 + Int(random.next() % UInt64(entries.count))
        let synchronized = Int(random.next() % UInt64(count))
        let isFolded = random.next() % 4 == 0
        try await store.withJournal(of: "a") { journal in
          for (place, entry) in entries.prefix(count).enumerated() {
            try journal.append(entry)
            if place == synchronized { try await journal.synchronize() }
          }
          guard isFolded else { return }
          let folded = try JournalCompaction.folded(Array(entries.prefix(count)), as: Self.flow())
          try await journal.replaceEntries(first: count, with: folded)
        }
        let file = store.file(of: "a")
        var bytes = try Data(contentsOf: file)
        let place = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 4 {
        case 0, 1: bytes = bytes.prefix(place)
        case 2: bytes[place] ^= UInt8(truncatingIfNeeded: random.next() % 255 + 1)
        default: bytes.remove(at: place)
        }
        try bytes.write(to: file)
        let outcome = await Self.flow().run(id: "a", in: store, durability: .operatingSystem)
        guard let error = outcome.error as? FlowError else {
          resumes.add()
          let text = DurableCheck.text(of: outcome, false)
          return text == expected ? nil : "\(text), and not \(expected)"
        }
        refusals.add()
        guard error.code == .unreadableJournal, error.problem.contains(file.path) else { return "\(error)" }
        let isLeft = try Data(contentsOf: file) == bytes
        return outcome.failure?.isRefusal == true && isLeft ? nil : "the file has changed"
      }
    }
    if TestSettings.effort >= 1 {
      let all = refusals.count + resumes.count
      #expect(refusals.count > all / 20 && resumes.count > all / 20)
    }
  }
}
