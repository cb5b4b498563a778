/// How far a group has come: only counts, so that a million items cost no more than three.
///
/// Items are there from the start, or are pulled one at a time, while there is room to run them.
struct GroupProgress: Sendable {
  let step: Blueprint.StepID
  let width: Int
  let tolerance: FlowTolerance
  /// Whether no more items come than `availableCount`.
  private var isComplete: Bool
  private var availableCount: Int
  private var isPulling = false
  private var startedCount = 0
  private(set) var endedCount = 0
  private var failureCount = 0

  /// Begins with so many items, or with `nil` where they have to be pulled.
  init(step: Blueprint.StepID, count: Int?, width: Int, tolerance: FlowTolerance) {
    self.step = step
    self.width = width
    self.tolerance = tolerance
    self.isComplete = count != nil
    self.availableCount = count ?? 0
  }

  private var freeCount: Int { width - (startedCount - endedCount) }
  private var canPull: Bool { !isComplete && !isPulling && availableCount - startedCount < freeCount }

  var claimableCount: Int { min(freeCount, availableCount - startedCount) + (canPull ? 1 : 0) }
  var isFinished: Bool { isComplete && endedCount == availableCount }
  /// The ended items as a part of all; `nil` while it is not known how many there are.
  var fraction: Double? { isComplete ? Double(endedCount) / Double(max(1, availableCount)) : nil }
  /// How many items there are, as far as they have come.
  var count: Int { availableCount }

  mutating func claim() -> RunWork? {
    if freeCount > 0 && startedCount < availableCount {
      defer { startedCount += 1 }
      return .item(step, index: startedCount)
    }
    guard canPull else { return nil }
    isPulling = true
    return .pull(step)
  }

  mutating func pulled(_ isItem: Bool) {
    isPulling = false
    if isItem { availableCount += 1 } else { isComplete = true }
  }

  /// Counts an item as ended.
  ///
  /// False where it failed and that is one too many.
  mutating func settle(failed: Bool) -> Bool {
    endedCount += 1
    if failed { failureCount += 1 }
    return !failed || failureCount <= tolerance.failureCount
  }
}
