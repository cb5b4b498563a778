import OperationFlow
import Testing

/// Calls `body` for each of `count` seeds, in `workers` tasks, and records the complaints that it returns or throws.
///
/// `count` applies to the usual effort. A complaint shows its seed: set it as `OPERATIONFLOW_SEED`, with the effort 0,
/// to repeat that seed alone. After five complaints no further seed is tried.
///
/// - Returns: `true` if there was no complaint.
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
