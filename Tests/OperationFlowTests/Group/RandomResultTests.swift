import OperationFlow
import TestSupport
import Testing

extension FlowKey where Value == [Int] {
  fileprivate static var items: Self { "items" }
}
extension FlowKey where Value == [FlowItemResult<Int>] {
  fileprivate static var results: Self { "results" }
}

/// A group whose items fail at random, and its expected results.
private struct RandomGroup: CustomStringConvertible {
  let count: Int
  let width: Int
  let failing: Set<Int>
  /// Items whose first attempt fails, and whose second one doesn't.
  let retried: Set<Int>
  let later: Set<Int>
  let tolerated: Int
  let tolerance: FlowTolerance
  let order: FlowResultOrder
  let isStream: Bool
  /// The number of results after which the run is cancelled.
  let cancelsAfter: Int?

  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    count = random.below(30)
    width = 1 + random.below(6)
    let rarity = 1 + random.below(12)
    failing = Set((0..<count).filter { _ in random.oneIn(rarity + 1) })
    retried = random.oneIn(2) ? [] : Set((0..<count).filter { _ in random.oneIn(4) })
    later = Set((0..<count).filter { _ in random.oneIn(2) })
    switch random.below(4) {
    case 0: (tolerated, tolerance) = (0, .none)
    case 1: (tolerated, tolerance) = (count, .all)
    case 2:
      tolerated = random.below(6)
      tolerance = .failures(tolerated)
    default:
      let percentage = random.below(101)
      (tolerated, tolerance) = (count * percentage / 100, .share(Double(percentage) / 100))
    }
    order = random.oneIn(2) ? .input : .completion
    isStream = random.oneIn(2)
    cancelsAfter = random.oneIn(4) ? random.below(10) : nil
  }

  var description: String {
    """
    \(count) items, width \(width), failing \(failing.sorted()), tried again \(retried.sorted()), \(tolerance), \
    \(order), \(isStream ? "stream" : "array"), cancelled after \(cancelsAfter ?? -1)
    """
  }

  /// Runs the group; returns a description of a fault, or `nil`.
  func complaint() async -> String? {
    let handed = Journal<(index: Int, result: FlowItemResult<Int>)>()
    let runOfCancel = Locked<FlowRun?>(nil)
    let handing: StepTrait<FlowStep.Grouped<Int>> = .onEachResult(in: order) { result, index, _ in
      handed.append((index, result))
      if handed.entries.count == cancelsAfter { runOfCancel.withLock { $0 }?.cancel() }
    }
    let body: @Sendable (Int, FlowContext) async throws -> Int = { item, context in
      if later.contains(item) { await Task.yield() }
      if failing.contains(item) || retried.contains(item) && context.attempt == 1 { throw TestError(name: "\(item)") }
      return item * 2
    }
    let flow = Flow().set(.items, to: Array(0..<count))
    if isStream {
      flow.forEach(
        in: 0..<count, into: .outputs, width: width, tolerating: tolerance, .retry(.attempts(2)),
        .results(in: .results), handing, run: body)
    } else {
      flow.forEach(
        .items, into: .outputs, width: width, tolerating: tolerance, .retry(.attempts(2)), .results(in: .results),
        handing, run: body)
    }
    let gate = Signal()
    let gated = Flow().add("gate") { _ in await gate.wait() }.add(flow: flow)
    let run = gated.start()
    runOfCancel.withLock { $0 = run }
    gate.fire()
    let outcome = await run.outcome
    return check(outcome, handed.entries)
  }

  private func check(_ outcome: FlowOutcome, _ handed: [(index: Int, result: FlowItemResult<Int>)]) -> String? {
    guard let kept = outcome.report[.results] else { return outcome.isCancelled ? nil : "no results are kept" }
    let indices = handed.map(\.index)
    if Set(indices).count != indices.count { return "handed on twice: \(indices)" }
    if order == .input, indices != indices.sorted() { return "out of order: \(indices)" }
    if !isStream, kept.count != count { return "\(kept.count) results" }
    let texts = Dictionary(uniqueKeysWithValues: handed.map { ($0.index, $0.result.recordDescription) })
    for (index, result) in kept.enumerated() {
      let text = result.recordDescription
      switch result {
      case .succeeded(let output): if failing.contains(index) || output != index * 2 { return "\(index) is \(text)" }
      case .failed: if !failing.contains(index), !retried.contains(index) { return "\(index) is \(text)" }
      case .withoutOutput: return "\(index) has no output"
      case .cancelled, .neverStarted: if outcome.isSuccess { return "\(index) is \(text)" }
      }
      // An item that waited for its second attempt when the run ended has not ended.
      if case .cancelled = result, texts[index] == nil { continue }
      if case .neverStarted = result {
        if texts[index] != nil { return "\(index) never began, and was handed on" }
      } else if texts[index] != text {
        return "\(index) is \(text), and \(texts[index] ?? "nothing") was handed on"
      }
    }
    if outcome.isCancelled { return cancelsAfter == nil ? "cancelled" : nil }
    if outcome.isSuccess != (failing.count <= tolerated) { return "success: \(outcome.isSuccess)" }
    let outputs = (0..<count).filter { !failing.contains($0) }.map { $0 * 2 }
    if outcome.isSuccess, outcome.report[.outputs] != outputs { return "outputs \(outcome.report[.outputs] ?? [])" }
    return outcome.isSuccess && handed.count != count ? "\(handed.count) were handed on" : nil
  }
}

@Suite(.watched) struct RandomResultTests {
  private static let count = TestSettings.amount(150)

  @Test func `whatever a group's items do, each result is kept in its place and handed on once`() async {
    let first = TestSettings.firstSeed()
    for seed in first..<first + UInt64(Self.count) {
      let group = RandomGroup(seed: seed)
      if let complaint = await group.complaint() {
        return fail("OPERATIONFLOW_SEED=\(seed) OPERATIONFLOW_EFFORT=0: \(complaint), of \(group)")
      }
    }
  }
}
