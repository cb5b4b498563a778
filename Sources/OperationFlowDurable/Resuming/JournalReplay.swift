import Foundation
import OperationFlow
import OperationFlowStorage

/// Restores a run from the entries of its journal.
struct JournalReplay {
  private(set) var restoration: RunRestoration
  let values: JournalValues
  private let keeper: JournalKeeper
  /// The failures of the attempts in which the last process ended, which are still to be appended to the journal.
  private(set) var interrupted: [JournalSettlement] = []

  init(_ engine: RunEngine, _ keeper: JournalKeeper, _ values: JournalValues) {
    (self.keeper, self.values) = (keeper, values)
    restoration = RunRestoration(engine, id: keeper.id)
  }

  /// Restores the run, which continues when the engine begins.
  mutating func restore(_ entries: [Data]) async throws {
    keeper.writes.begin(after: 0)
    restoration.begin()
    var counter = JournalCounter()
    do {
      for data in entries {
        let entry = try JournalEntry(data).opened(keeper.journal.sealing)
        try counter.count(entry)
        if case .settled(let settlement) = entry, try restoresAtOnce(settlement) { continue }
        try await restore(entry)
      }
      try await restoration.find(counter.attempts.allBegun)
      for (begin, count) in counter.attempts.last {
        if let settlement = try await restoration.interrupt(begin, count) { interrupted.append(settlement) }
      }
    } catch {
      restoration.interrupt()
      throw error
    }
    restoration.end()
    keeper.journal.state.withLock { [counter] in if $0.counter != nil { $0.counter = counter } }
    keeper.writes.begin(after: values.lastNumber)
  }

  /// Restores work without awaiting anything, which is possible for most work; returns false if it isn't.
  private mutating func restoresAtOnce(_ settlement: JournalSettlement) throws -> Bool {
    let values = values
    return try restoration.restoreAtOnce(settlement, try values.left(by: settlement))
  }

  private mutating func restore(_ entry: JournalEntry) async throws {
    switch entry {
    case .begun: break
    case .settled(let settlement): try await restore(settlement)
    case .runs(let runs):
      for run in runs {
        for place in 0..<run.count {
          var settlement = JournalSettlement(
            date: .distantPast, work: run.work(at: place), attempt: 1, result: .succeeded)
          settlement.parts.output = run.outputs?[place]
          if try !restoresAtOnce(settlement) { try await restore(settlement) }
        }
      }
    case .decided(let decision): try await restoration.restore(decision)
    case .waits(let wait): keeper.room?.restore(wait)
    case .rests, .begins, .left: break
    case .ended: throw FlowError.unreadableEntry
    }
  }

  private mutating func restore(_ settlement: JournalSettlement) async throws {
    let values = values
    try await restoration.restore(settlement, try values.left(by: settlement))
  }
}
