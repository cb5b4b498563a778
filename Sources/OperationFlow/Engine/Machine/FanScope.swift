/// Children at work at once: up to `width` items of a group, or the branches of a parallel step.
///
/// It only counts, so that a million items cost no more than three. Items are there from the start, or are pulled one
/// at a time while there is room to run them.
struct FanScope: Sendable {
  let step: Blueprint.StepID
  /// Whether the children are branches, which are blocks of steps.
  private(set) var holdsBranches = false
  private let width: Int
  private let tolerance: FlowTolerance
  /// How many may fail, as far as that is known.
  private var toleratedCount: Int
  /// Whether `availableCount` is the final number of items.
  private var isComplete: Bool
  private var availableCount: Int
  private var isPulling = false
  private var startedCount = 0
  private var endedCount = 0
  private var failureCount = 0
  /// How many have ended and keep their places, because their results are being handed on.
  private var heldCount = 0

  /// The items of a group; they have to be pulled if their count is `nil`.
  init(step: Blueprint.StepID, count: Int?, width: Int, tolerance: FlowTolerance) {
    self.step = step
    self.width = width
    self.tolerance = tolerance
    toleratedCount = tolerance.failureCount(of: count)
    isComplete = count != nil
    availableCount = count ?? 0
  }

  /// The branches of a parallel step, all of them begun.
  init(step: Blueprint.StepID, branchCount: Int) {
    self.init(step: step, count: branchCount, width: branchCount, tolerance: .none)
    holdsBranches = true
    startedCount = branchCount
  }

  // An item is held just before it ends, and counts twice in between.
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
    /// The next item has come, or there are no more.
    case pulled(isItem: Bool)
    case ended(failed: Bool)
    /// One that ends keeps its place, because its result is handed on, or gives that up.
    case held, released
  }

  /// Counts what has happened; false if more have failed than may fail of the number that is known now.
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

  /// Whether it will turn out only at the end of the sequence whether too many have failed.
  var decidesLate: Bool { !isComplete && tolerance.isShare }

  /// How many items have ended, while their number is not known; otherwise `nil`.
  var uncountedItems: Int? { isComplete ? nil : endedCount }

  /// The ended children as a part of all; 0 while their number is not known.
  var doneFraction: Double { isComplete ? Double(endedCount) / Double(max(1, availableCount)) : 0 }
  /// How much of the whole one child is; 0 while their number is not known.
  var childFraction: Double { isComplete ? 1 / Double(max(1, availableCount)) : 0 }
}
