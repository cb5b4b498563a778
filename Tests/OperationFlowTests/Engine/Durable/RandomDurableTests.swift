import Foundation
import TestSupport
import Testing

@testable import OperationFlow

/// Random flows that are cut after random entries of their journals, and resumed until they end.
///
/// `OPERATIONFLOW_EFFORT` says how many. A failure prints a seed: with that as `OPERATIONFLOW_SEED`, and the effort 0, it
/// is tried again alone.
@Suite(.long) struct RandomDurableTests {
  private static let count = TestSettings.amount(100)
  private static let firstSeed = TestSettings.firstSeed()
  private static let workerCount = 4

  @Test func `random flows that are cut and resumed end as if they had not been`() async {
    let next = Locked(0)
    let failures = Journal<String>()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<Self.workerCount {
        group.addTask {
          while let index = next.withLock({ next -> Int? in
            defer { next += 1 }
            return next < Self.count ? next : nil
          }), failures.entries.count < 5 {
            let seed = Self.firstSeed &+ UInt64(index)
            await SuiteWatch.shared.watch("OPERATIONFLOW_SEED=\(seed) of RandomDurableTests") {
              if let failure = await Self.run(seed) { failures.append(failure) }
            }
          }
        }
      }
    }
    for failure in failures.entries { Issue.record("\(failure)") }
  }

  /// What went wrong with the flow of a seed.
  private static func run(_ seed: UInt64) async -> String? {
    let script = RandomFlow(seed: seed)
    let store = MemoryFlowStore()
    let outcome = await script.build().run(id: "r", in: store, durability: .operatingSystem)
    let name = "OPERATIONFLOW_SEED=\(seed) OPERATIONFLOW_EFFORT=0: "
    let expected = Interpreter(script)
    if let complaint = Comparison(outcome, with: expected).complaint { return name + "at once: " + complaint }
    var generator = SplitMix(seed: seed)
    var entries = store.journals["r"] ?? []
    // A refused flow leaves nothing.
    guard !entries.isEmpty else { return outcome.failure?.isRefusal == true ? nil : name + "no journal" }
    // A checkpoint replaces entries as a whole, so no crash leaves a part of its own.
    var foldedCount = 0
    for round in 0..<3 {
      let count = max(foldedCount, Int(generator.next() % UInt64(entries.count)))
      var cut = Array(entries.prefix(count))
      if round == 1 {
        do { cut = try JournalFold.folded(cut, as: script.build()) } catch { return name + "can't be folded: \(error)" }
        foldedCount = cut.count
      }
      let copy = MemoryFlowStore(["r": cut])
      let resumed = await script.build().run(id: "r", in: copy, durability: .operatingSystem)
      let was = DurableCheck.text(of: outcome, false)
      let isNow = DurableCheck.text(of: resumed, false)
      let place = "resumed after \(count) of \(entries.count) in round \(round): "
      // What was at work when the run was cancelled, and had not ended when the process did, isn't run again.
      if expected.isDecided, outcome.report.cancellation != .call {
        if was != isNow { return name + place + "\(isNow), and not \(was)\n\(script.steps)" }
      } else if resumed.isSuccess != outcome.isSuccess {
        return name + place + "\(isNow), and not \(was)\n\(script.steps)"
      }
      if (resumed.error as? FlowError)?.code == .unreadableJournal { return name + place + "\(isNow)" }
      entries = copy.journals["r"] ?? []
    }
    return nil
  }
}

extension Interpreter {
  /// Whether nothing of its end is a matter of luck.
  var isDecided: Bool {
    !parts.contains { part in
      switch part {
      case .stoppedItems, .stoppedBranches: true
      case .line, .items, .branches: false
      }
    }
  }
}
