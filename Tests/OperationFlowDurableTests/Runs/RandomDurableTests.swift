import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Random flows that are cut after random entries of their journals, and resumed until they end.
@Suite(.long) struct RandomDurableTests {
  @Test func `random flows that are cut and resumed end as if they had not been`() async {
    await forEachSeed(count: 100, workers: 4) { try await Self.run($0) }
  }

  /// Returns a description of a fault of a seed's flow; `nil` if there is none.
  private static func run(_ seed: UInt64) async throws -> String? {
    let script = RandomFlow(seed: seed)
    let store = MemoryFlowStore()
    let outcome = await script.build().run(id: "r", in: store, durability: .operatingSystem)
    let expected = Interpreter(script)
    if let complaint = Comparison(outcome, with: expected).complaint { return "at once: " + complaint }
    var generator = SplitMix(seed: seed)
    var entries = (store.journals["r"] ?? []).withoutBegins
    // A refused flow has no journal.
    guard !entries.isEmpty else { return outcome.failure?.isRefusal == true ? nil : "no journal" }
    // A checkpoint replaces entries as a whole, so no crash leaves a part of it.
    var foldedCount = 0
    for round in 0..<3 {
      let count = max(foldedCount, Int(generator.next() % UInt64(entries.count)))
      var cut = Array(entries.prefix(count))
      if round == 1 {
        cut = try JournalCompaction.folded(cut, as: script.build())
        foldedCount = cut.count
      }
      let copy = MemoryFlowStore(["r": cut])
      let resumed = await script.build().run(id: "r", in: copy, durability: .operatingSystem)
      let was = DurableCheck.text(of: outcome, false)
      let isNow = DurableCheck.text(of: resumed, false)
      // In the first run, a value of another type was its reader's failure, or another branch stopped the reader's
      // branch first.
      if resumed.isLeftForType {
        return outcome.hasMistypedRead || !expected.isDecided ? nil : "left: \(isNow), and not \(was)"
      }
      let place = "resumed after \(count) of \(entries.count) in round \(round): "
      // Work that was cancelled with the run, and had not ended when the process did, isn't run again.
      if expected.isDecided, outcome.report.cancellation != .call {
        if was != isNow { return place + "\(isNow), and not \(was)\n\(script.steps)" }
      } else if resumed.isSuccess != outcome.isSuccess {
        return place + "\(isNow), and not \(was)\n\(script.steps)"
      }
      if (resumed.error as? FlowError)?.code == .unreadableJournal { return place + "\(isNow)" }
      entries = (copy.journals["r"] ?? []).withoutBegins
    }
    return nil
  }
}

extension FlowOutcome {
  /// True if a run was left because a stored value has another type than its reader requires.
  var isLeftForType: Bool {
    guard let error = error as? FlowError, error.code == .mismatchedData else { return false }
    return error.remedy.contains("The run is left as it was")
  }

  /// True if the record has a warning or an error about a value of another type.
  var hasMistypedRead: Bool { report.lines.contains { $0.contains("but NOT type") } }
}

extension Interpreter {
  /// True if no part of the flow's end is random.
  var isDecided: Bool {
    !parts.contains { part in
      switch part {
      case .stoppedItems, .stoppedBranches: true
      case .line, .items, .branches: false
      }
    }
  }
}
