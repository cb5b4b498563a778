/// How far a group has come: only counts, so that a million items cost no more than three.
struct GroupProgress: Sendable {
  let step: Blueprint.StepID
  let count: Int
  let width: Int
  let toleratesFailure: Bool
  private var startedCount = 0
  private var endedCount = 0

  init(step: Blueprint.StepID, count: Int, width: Int, toleratesFailure: Bool) {
    self.step = step
    self.count = count
    self.width = width
    self.toleratesFailure = toleratesFailure
  }

  var runningCount: Int { startedCount - endedCount }
  var claimableCount: Int { min(width - runningCount, count - startedCount) }
  var isFinished: Bool { endedCount == count }

  mutating func claim() -> RunWork? {
    guard claimableCount > 0 else { return nil }
    defer { startedCount += 1 }
    return .item(step, index: startedCount)
  }

  mutating func settle() { endedCount += 1 }
}
