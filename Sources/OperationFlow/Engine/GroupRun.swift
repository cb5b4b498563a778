/// A group at work: its items, and the outputs that have come in.
struct GroupRun: Sendable {
  let step: GroupStep
  /// The items, if all of them were there from the start.
  let allItems: FlowGroupItems?
  /// Where the items come from, if they come one after the other.
  let stream: (any ItemStream)?
  /// The items that were pulled from the stream and have not ended, by index.
  private var pulled: [Int: any Sendable] = [:]
  private(set) var pulledCount = 0
  /// `nil` if they aren't kept.
  private(set) var outputs: (any ItemOutputs)?
  private(set) var failures: [FlowItemFailure] = []
  private var (succeededCount, failedCount, cancelledCount) = (0, 0, 0)
  /// The items whose last attempt so far has failed, and is followed by something.
  private var unfinished: Set<Int> = []
  /// The result of each item, in its place; `nil` if they aren't kept.
  private var results: [FlowItemResult<any Sendable>]?
  private let kept: KeptResults?
  /// The results that are to be handed on; `nil` if none are.
  var handing: DeliveryQueue?
  /// Whether no more items come.
  private var isReadToEnd: Bool
  /// How many items have left an output that is kept.
  private(set) var outputCount = 0
  /// Whether an item's output is shown as `<redacted>`, and so the output that is collected.
  var hidesOutputs = false
  /// Whether the items are shown as `<redacted>`.
  var hidesInputs = false

  init(step: GroupStep, items: FlowGroupItems, _ plan: ResultPlan? = nil) {
    self.step = step
    kept = plan?.kept
    if kept != nil { results = Array(repeating: .neverStarted, count: items.count) }
    if let plan, plan.handsOn { handing = DeliveryQueue(plan.order) }
    allItems = items
    stream = nil
    isReadToEnd = true
    hidesInputs = items.isSensitive
    hidesOutputs = step.hidesOutputs
    outputs = step.keepsOutputs ? step.makeOutputs(items.count) : nil
  }

  init(step: GroupStep, stream: any ItemStream, _ plan: ResultPlan? = nil) {
    self.step = step
    kept = plan?.kept
    if kept != nil { results = [] }
    if let plan, plan.handsOn { handing = DeliveryQueue(plan.order) }
    self.stream = stream
    allItems = nil
    isReadToEnd = false
    hidesOutputs = step.hidesOutputs
    outputs = step.keepsOutputs ? step.makeOutputs(0) : nil
  }

  /// The name that the items were found under; `nil` if they come one after the other.
  var inputName: String? { allItems?.name }

  /// Whether any item has done its work, so that what its step declares should be written.
  var hasSucceededItems: Bool { (allItems?.count ?? pulledCount) > failures.count }

  func item(at index: Int) -> (any Sendable)? { allItems?[index] ?? pulled[index] }

  mutating func append(_ item: any Sendable) {
    pulled[pulledCount] = item
    pulledCount += 1
    outputs?.addPlace()
    if kept != nil { results?.append(.neverStarted) }
  }

  /// The sequence has no more items.
  mutating func noteEnd() { isReadToEnd = true }

  /// What has become of the items so far; one that waits for another attempt is cancelled if none comes any more.
  func itemCounts(isStopping: Bool = false) -> FlowReport.Items {
    FlowReport.Items(
      total: isReadToEnd ? allItems?.count ?? pulledCount : nil, succeeded: succeededCount, failed: failedCount,
      cancelled: cancelledCount + (isStopping ? unfinished.count : 0))
  }

  /// An item was cancelled because the run ends.
  mutating func endCancelled(_ index: Int) {
    cancelledCount += 1
    if !unfinished.isEmpty { unfinished.remove(index) }
    if kept != nil { results?[index] = .cancelled }
  }

  /// An item's attempt has failed: if no other comes, because the run ends before it, the item counts as cancelled.
  mutating func noteAttempt(_ index: Int) {
    unfinished.insert(index)
    if kept != nil { results?[index] = .cancelled }
    handing?.noteAttempt(index)
  }

  /// The values that the group writes.
  func collect(isSensitive: Bool) throws -> [GroupStep.Collected] {
    try step.collect(outputs ?? step.makeOutputs(0), failures, isSensitive: isSensitive)
  }

  /// Hands out the results that are to be written, once.
  mutating func takeResults() -> WrittenResults? {
    guard let kept, let results = results.take() else { return nil }
    return WrittenResults(kept: kept, results: results, hidesOutputs: hidesOutputs, step: step)
  }

  /// Keeps an item's output, and returns the item if it is no longer needed, to be freed outside the lock.
  mutating func end(_ index: Int, output: (any Sendable)?) -> (any Sendable)? {
    keep(index, output: output)
    return takePulled(index)
  }

  /// Keeps an item's output.
  @inline(__always)
  mutating func keep(_ index: Int, output: (any Sendable)?) {
    succeededCount += 1
    if !unfinished.isEmpty { unfinished.remove(index) }
    if step.keepsOutputs, let output {
      outputs?.keep(output, at: index)
      outputCount += 1
    }
    if kept != nil { results?[index] = output.map(FlowItemResult.succeeded) ?? .withoutOutput }
  }

  /// Whether it holds items that have not ended.
  var holdsPulled: Bool { !pulled.isEmpty }

  /// Removes and returns an item that has ended, to be freed outside the lock.
  mutating func takePulled(_ index: Int) -> (any Sendable)? {
    pulled.isEmpty ? nil : pulled.removeValue(forKey: index)
  }

  /// The same, for an item that has failed.
  mutating func end(_ index: Int, failure: FlowItemFailure) -> (any Sendable)? {
    failures.append(failure)
    if !unfinished.isEmpty { unfinished.remove(index) }
    let isCancelled = Settlement(failure.error).isCancelled
    if isCancelled { cancelledCount += 1 } else { failedCount += 1 }
    if kept != nil { results?[index] = isCancelled ? .cancelled : .failed(failure.error) }
    return takePulled(index)
  }
}

/// The groups that are running in a run, by step: as many as there are parallel branches.
struct GroupRuns: Sendable {
  private var steps: [Blueprint.StepID] = []
  private var runs: [GroupRun] = []

  /// The groups at work, with their steps.
  var all: Zip2Sequence<[Blueprint.StepID], [GroupRun]> { zip(steps, runs) }

  /// How many items of a sequence have come; `nil` if the group is not at work.
  func pulledCount(of step: Blueprint.StepID) -> Int? { steps.firstIndex(of: step).map { runs[$0].pulledCount } }

  /// Changes a group in place; `nil` if it is not at work.
  @inline(__always)
  mutating func update<Result>(_ step: Blueprint.StepID, _ change: (inout GroupRun) -> Result) -> Result? {
    guard let index = steps.firstIndex(of: step) else { return nil }
    return change(&runs[index])
  }

  @inline(never)
  mutating func begin(_ group: GroupRun, _ step: Blueprint.StepID) {
    steps.append(step)
    runs.append(group)
  }

  mutating func end(_ step: Blueprint.StepID) -> GroupRun? {
    guard let index = steps.firstIndex(of: step) else { return nil }
    steps.remove(at: index)
    return runs.remove(at: index)
  }

  /// Takes the next result of each group that is to be handed on.
  mutating func takeReady(
    neverEnds: (Blueprint.StepID, _ index: Int, _ other: WorkTicket) -> Bool
  ) -> [(step: Blueprint.StepID, held: DeliveryQueue.Held)] {
    runs.indices.compactMap { place in
      let step = steps[place]
      return runs[place].handing?.take { neverEnds(step, $0, $1) }.map { (step, $0) }
    }
  }

  /// Hands out the results of the groups that did not complete, to be written.
  mutating func takeResults() -> [(step: Blueprint.StepID, results: WrittenResults)] {
    runs.indices.compactMap { index in runs[index].takeResults().map { (steps[index], $0) } }
  }

  /// Removes and returns all groups, to be freed outside the lock.
  mutating func removeAll() -> [GroupRun] {
    defer { (steps, runs) = ([], []) }
    return runs
  }
}
