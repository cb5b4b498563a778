/// A running group: its items, and their outputs so far.
package final class GroupRun: @unchecked Sendable {
  // Invariant: it is reached only through the state of one run, under that run's lock, until it is removed at its end.
  let step: GroupStep
  /// The items, if all of them were there from the start.
  let allItems: FlowGroupItems?
  /// The source of the items, if they arrive one after the other.
  package let stream: (any ItemStream)?
  /// The items that were pulled from the stream and have not ended, by index.
  private var pulled = [Int: any Sendable]()
  package private(set) var pulledCount = 0
  private(set) var failures: [FlowItemFailure] = []
  private var succeededCount = 0
  private var failedCount = 0
  private var cancelledCount = 0
  private(set) var retries = ItemRetries()
  /// The items whose last attempt so far has failed, and is followed by another one or a recovery.
  private var unfinished: Set<Int> = []
  /// The outputs, in the form that needs the least memory for a million of them; `nil` if they aren't stored.
  private(set) var outputs: (any ItemOutputs)?
  /// The result of each item, by index; `nil` if they aren't stored.
  private var results: [FlowItemResult<any Sendable>]?
  private let kept: KeptResults?
  /// The results that have to be delivered; `nil` if the group delivers none.
  var handing: DeliveryQueue?
  var isReadToEnd: Bool
  /// The number of items whose output was stored.
  private(set) var outputCount = 0
  /// True if the items' outputs, and so the collected output, are shown as `<redacted>`.
  package var hidesOutputs = false
  var hidesInputs = false
  /// The names that the last item's operation used.
  var itemNames: ItemNames?

  init(_ step: GroupStep, _ items: FlowGroupItems?, _ stream: (any ItemStream)?, _ plan: ResultPlan?) {
    self.step = step
    allItems = items
    self.stream = stream
    isReadToEnd = stream == nil
    kept = plan?.kept
    outputs = step.keepsOutputs ? step.makeOutputs(items?.count ?? 0) : nil
    if kept != nil { results = Array(repeating: .neverStarted, count: items?.count ?? 0) }
    if let plan, plan.delivers { handing = DeliveryQueue(plan.order) }
    hidesInputs = items?.isSensitive ?? false
    hidesOutputs = step.hidesOutputs
  }

  func item(at index: Int) -> (any Sendable)? { allItems?[index] ?? pulled[index] }

  func append(_ item: any Sendable) {
    pulled[pulledCount] = item
    pulledCount += 1
    outputs?.addPlace()
    results?.append(.neverStarted)
  }

  /// Returns the items' counts so far; with `isStopping`, items that wait for another attempt count as cancelled.
  package func itemCounts(isStopping: Bool = false) -> FlowReport.Items {
    FlowReport.Items(
      total: isReadToEnd ? allItems?.count ?? pulledCount : nil, succeeded: succeededCount, failed: failedCount,
      cancelled: cancelledCount + (isStopping ? unfinished.count : 0))
  }

  private func close(_ index: Int, _ result: @autoclosure () -> FlowItemResult<any Sendable>) {
    if !unfinished.isEmpty { unfinished.remove(index) }
    if results != nil { setResult(index, result()) }
  }

  private func setResult(_ index: Int, _ result: FlowItemResult<any Sendable>) { results?[index] = result }

  func endCancelled(_ index: Int) {
    cancelledCount += 1
    close(index, .cancelled)
  }

  /// Records a failed attempt of an item; if the run ends before another one, the item counts as cancelled.
  func recordFailedAttempt(_ index: Int) {
    unfinished.insert(index)
    results?[index] = .cancelled
  }

  /// Counts an attempt of an item that isn't its first one.
  func countRetry(_ attempt: Int) {
    if attempt == 2 { retries.items += 1 }
    retries.attempts += 1
  }

  /// Removes and returns the results that have to be written; `nil` if there are none.
  package func takeResults() -> WrittenResults? {
    guard let kept, let results = results.take() else { return nil }
    return (kept, results, hidesOutputs, step)
  }

  func store(_ index: Int, output: (any Sendable)?) {
    succeededCount += 1
    close(index, output.map(FlowItemResult.succeeded) ?? .withoutOutput)
    if step.keepsOutputs, let output {
      outputs?.store(output, at: index)
      outputCount += 1
    }
  }

  var holdsPulled: Bool { !pulled.isEmpty }

  /// Removes and returns an ended item of a stream, to be freed outside the lock.
  func takePulled(_ index: Int) -> (any Sendable)? { pulled.isEmpty ? nil : pulled.removeValue(forKey: index) }

  func end(_ index: Int, failure: FlowItemFailure) {
    failures.append(failure)
    let isCancelled = failure.error.isCancellation
    if isCancelled { cancelledCount += 1 } else { failedCount += 1 }
    close(index, isCancelled ? .cancelled : .failed(failure.error))
  }
}

/// The names under which an operation reads its item and writes the item's output.
struct ItemNames: Sendable, Equatable {
  let input: String
  let output: String
}

/// The running groups of a run, by step; there are several only in parallel branches.
package struct GroupRuns: Sendable {
  package private(set) var all: [(step: Blueprint.StepID, run: GroupRun)] = []

  package subscript(step: Blueprint.StepID) -> GroupRun? {
    guard let index = all.firstIndex(where: { $0.step == step }) else { return nil }
    return all[index].run
  }

  mutating func begin(_ group: GroupRun, _ step: Blueprint.StepID) { all.append((step, group)) }

  mutating func end(_ step: Blueprint.StepID) -> GroupRun? {
    all.firstIndex { $0.step == step }.map { all.remove(at: $0).run }
  }

  /// Removes and returns the results of groups that did not complete, which have to be written.
  package func takeResults() -> [(step: Blueprint.StepID, results: WrittenResults)] {
    all.compactMap { step, run in run.takeResults().map { (step, $0) } }
  }
}
