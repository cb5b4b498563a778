/// Children that run at the same time: up to `width` items of a group, or the branches of a parallel step.
///
/// It only counts, so that a million items need no more memory than three. All items are there from the start, or each
/// is pulled when there is room to run it.
struct FanScope: Sendable {
  let step: Blueprint.StepID
  /// True if the children are branches, which are blocks of steps.
  private(set) var holdsBranches = false
  private let width: Int
  private let tolerance: FlowTolerance
  /// The number of items that may fail; a group with an unknown number of items may allow any number until its end.
  private var toleratedCount: Int
  /// True if `availableCount` is the final number of items.
  private var isComplete: Bool
  private var availableCount: Int
  private var isPulling = false
  private var startedCount = 0
  private var endedCount = 0
  private var failureCount = 0
  /// The number of items whose results are being delivered, so that their places aren't free yet.
  private var heldCount = 0

  /// The number of items that a group is expected to have, for its progress; `nil` if it isn't known.
  private let expectedCount: Int?

  /// Creates the fan of a group's items; they have to be pulled if their count is `nil`.
  init(step: Blueprint.StepID, count: Int?, expected: Int? = nil, width: Int, tolerance: FlowTolerance) {
    self.step = step
    self.width = width
    self.tolerance = tolerance
    toleratedCount = tolerance.failureCount(of: count)
    isComplete = count != nil
    availableCount = count ?? 0
    expectedCount = count ?? expected
  }

  /// Creates the fan of a parallel step, whose branches have all begun.
  init(step: Blueprint.StepID, branchCount: Int) {
    self.init(step: step, count: branchCount, width: branchCount, tolerance: .none)
    holdsBranches = true
    startedCount = branchCount
  }

  // An item is counted in `heldCount` just before it ends, and so counts twice in between.
  private var freeCount: Int { max(0, width - (startedCount - endedCount) - heldCount) }
  private var canPull: Bool { !isComplete && !isPulling && availableCount - startedCount < freeCount }

  var claimableCount: Int { min(freeCount, availableCount - startedCount) + (canPull ? 1 : 0) }
  var isFinished: Bool { isComplete && endedCount == availableCount && heldCount == 0 }

  mutating func claim() -> RunWork? {
    if freeCount > 0 && startedCount < availableCount {
      defer { startedCount += 1 }
      return RunWork(.item, of: step, item: startedCount)
    }
    guard canPull else { return nil }
    isPulling = true
    return RunWork(.pull, of: step)
  }

  enum Event: Sendable {
    /// The next item has arrived, or there are no more.
    case pulled(isItem: Bool)
    case ended(failed: Bool)
    /// An item's place is reserved while its result is delivered (`held`), and then free (`released`).
    case held, released
  }

  /// Counts an event; returns false if more children have failed than are tolerated so far.
  mutating func count(_ event: Event) -> Bool {
    switch event {
    case .pulled(isItem: true): (isPulling, availableCount) = (false, availableCount + 1)
    case .pulled(isItem: false):
      isPulling = false
      isComplete = true
      toleratedCount = tolerance.failureCount(of: availableCount)
    case .ended(let failed):
      endedCount += 1
      if failed { failureCount += 1 }
    case .held: heldCount += 1
    case .released: heldCount -= 1
    }
    return failureCount <= toleratedCount
  }

  /// True if only the end of the sequence decides whether too many items have failed.
  var decidesLate: Bool { !isComplete && tolerance.isShare }

  /// The number of items that have ended, while the total is unknown; otherwise `nil`.
  var uncountedItems: Int? { total == nil ? endedCount : nil }

  /// The share of the children that have ended; 0 while their number is unknown.
  var doneFraction: Double { total.map { Double(endedCount) / Double(max(1, $0)) } ?? 0 }
  /// The share of one child; 0 while their number is unknown.
  var childFraction: Double { total.map { 1 / Double(max(1, $0)) } ?? 0 }

  private var total: Int? {
    // More items than expected: their number isn't known after all.
    isComplete ? availableCount : expectedCount.flatMap { $0 >= availableCount ? $0 : nil }
  }
}
