import OperationFlow
import Testing

/// Does something for each of so many seeds, by so many tasks at once, and records what it complains of or throws.
///
/// The count is that of the usual effort. A complaint shows its seed: with that as `OPERATIONFLOW_SEED`, and the effort 0,
/// it is tried again alone. After five complaints no further seed is taken.
///
/// - Returns: Whether there was no complaint.
@discardableResult
package func forEachSeed(
  count: Int, workers: Int = 1, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable (_ seed: UInt64) async throws -> String?
) async -> Bool {
  let (first, count) = (TestSettings.firstSeed(), TestSettings.amount(count))
  let (next, complaints) = (Locked(0), Tally())
  let take = { @Sendable () -> UInt64? in
    let index = next.withLock { next in
      defer { next += 1 }
      return next
    }
    return index < count && complaints.count < 5 ? first &+ UInt64(index) : nil
  }
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<workers {
      group.addTask {
        while let seed = take() {
          let id = SuiteWatch.shared.begin("OPERATIONFLOW_SEED=\(seed) of \(sourceLocation.fileName)")
          defer { SuiteWatch.shared.end(id) }
          var complaint: String?
          do { complaint = try await body(seed) } catch { complaint = "\(error)" }
          guard let complaint else { continue }
          complaints.add()
          Issue.record(
            "OPERATIONFLOW_SEED=\(seed) OPERATIONFLOW_EFFORT=0: \(complaint)", sourceLocation: sourceLocation)
        }
      }
    }
  }
  return complaints.count == 0
}
