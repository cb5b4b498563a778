import Foundation
import OperationFlow
import OperationFlowDurable

extension MemoryCase {
  private static let runCount = 100_000
  private static let signal: FlowSignal<Int> = "signal"

  private static func flow() -> Flow { Flow("Waiting").wait(for: signal, timeout: .seconds(86_400)) }

  /// The memory of runs that a supervisor has suspended: an identifier and a date for each.
  static let waitingRuns = [
    MemoryCase(name: "supervisor of one run that waits") { await supervise(1) },
    MemoryCase(
      name: "supervisor of 100,000 runs that wait", beyond: "supervisor of one run that waits", unitCount: runCount,
      limit: 0.3
    ) { await supervise(runCount) },
  ]

  /// Supervises runs until all of them are suspended.
  private static func supervise(_ count: Int) async {
    // One run is suspended to get its journal, which the other runs share.
    let memory = MemoryFlowStore()
    let first = FlowSupervisor(memory, flows: [flow()])
    let running = Task { try await first.run() }
    try? await first.begin("first", of: "Waiting")
    while first.status.waitingCount < 1 { await Task.yield() }
    running.cancel()
    _ = await running.result
    let supervisor = FlowSupervisor(
      RepeatedStore(memory, count: count, entries: memory.journals["first"] ?? []), flows: [flow()])
    let task = Task { try await supervisor.run() }
    while supervisor.status.waitingCount < count { try? await Task.sleep(for: .milliseconds(5)) }
    task.cancel()
    _ = await task.result
  }
}

/// A store with many runs that share one journal, so that the store itself needs no memory for them.
private struct RepeatedStore: FlowStore {
  private let memory: MemoryFlowStore
  private let count: Int
  private let entries: [Data]

  init(_ memory: MemoryFlowStore, count: Int, entries: [Data]) {
    (self.memory, self.count, self.entries) = (memory, count, entries)
  }

  func openJournal(of id: String) throws -> FlowOpenJournal { try memory.openJournal(of: id) }
  func readJournal(of id: String) throws -> [Data]? {
    id.hasPrefix("order-") && !id.hasSuffix(".signals") ? entries : nil
  }
  func runIDs() throws -> [String] { (0..<count).map { "order-2026-\(1_000_000 + $0)" } }
  func removeJournal(of id: String) throws { try memory.removeJournal(of: id) }
}
