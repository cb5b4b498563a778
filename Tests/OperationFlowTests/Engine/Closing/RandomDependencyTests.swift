import Dispatch
import Foundation
import OperationFlow
import TestSupport
import Testing

/// Random flows of operations that depend on each other.
///
/// Each run ends, and no operation begins before its dependencies.
@Suite(.long) struct RandomDependencyTests {
  @Test func `each run ends, in any flow, however it fails and whenever it is cancelled`() async {
    await forEachSeed(count: 600, workers: 4) { await RandomDependencies(seed: $0).complaint() }
  }
}

/// A flow of operations in steps, cases, parallel branches, inner flows, `always` steps, and undos.
private final class RandomDependencies: @unchecked Sendable {
  // Invariant: the task that builds the flow makes all changes, before the run begins; the journals are thread-safe.
  private final class Op: FlowOperation, @unchecked Sendable {
    enum Manner { case atOnce, later, fails, cancels }

    private let manner: Manner
    private let notes: Notes

    init(_ name: String, _ manner: Manner, _ notes: Notes) {
      (self.manner, self.notes) = (manner, notes)
      super.init()
      self.name = name
    }

    override func mainLogic() {
      for dependency in dependencies where !dependency.isFinished {
        notes.complaints.append("\(displayName) began before \(dependency.name ?? "one outside") had ended")
      }
      switch manner {
      case .atOnce: finishSuccessfully()
      case .fails: finishWithError(error: TestError())
      case .cancels:
        notes.run.withLock { $0 }?.cancel()
        finishSuccessfully()
      case .later:
        startWithAsynchronous()
        DispatchQueue.global().async { self.finishSuccessfully() }
      }
    }

    var failsByDependency: Bool {
      guard case .finished(.withError(let error)) = state else { return false }
      return (error as? FlowError)?.code == .unmeetableDependency
    }

    var hasSucceeded: Bool { if case .finished(.successfully) = state { true } else { false } }
  }

  private final class Notes: Sendable {
    let complaints = Journal<String>()
    /// The numbers of the blocks that began, and the names of the `always` steps that began.
    let (begun, atEnd) = (Journal<Int>(), Journal<String>())
    let run = Locked<FlowRun?>(nil)
  }

  /// An `always` step of a block.
  ///
  /// Its first operation runs if the block began, unless its dependencies can't finish.
  private struct AtEnd {
    let block: Int
    let name: String
    let first: Op
  }

  private static let key: FlowKey<Int> = "key"

  private var random: SeededGenerator
  private let notes = Notes()
  private let queue = OperationQueue()
  private var operations: [Op] = []
  private var atEnds: [AtEnd] = []
  private var blockCount = 0

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  func complaint() async -> String? {
    let flow = Flow("Outer").set(Self.key, to: 1)
    fill(flow, depth: 3)
    addDependencies(of: flow)
    let run = flow.start()
    notes.run.withLock { $0 = run }
    if random.oneIn(4) { run.cancel() }
    let outcome = await run.outcome
    notes.run.withLock { $0 = nil }
    let isRefused = notes.begun.entries.isEmpty
    for operation in operations where !isRefused && !operation.isFinished {
      notes.complaints.append("\(operation.displayName) is left open")
    }
    let (begun, ended) = (Set(notes.begun.entries), Set(notes.atEnd.entries))
    for atEnd in atEnds where begun.contains(atEnd.block) {
      if !ended.contains(atEnd.name) { notes.complaints.append("\(atEnd.name) did not run") }
      let first = atEnd.first
      if !first.hasSucceeded, !first.failsByDependency { notes.complaints.append("\(first.displayName) did not run") }
    }
    // On Linux, a finished operation has unretained pointers to its dependents, and refused operations still wait.
    for operation in operations { for awaited in operation.dependencies { operation.removeDependency(awaited) } }
    queue.cancelAllOperations()
    guard let first = notes.complaints.entries.first else { return nil }
    return "\(first): \(outcome.report.lines)"
  }

  // MARK: Building

  private func operation(isFirstAtEnd: Bool = false) -> Op {
    let manner: Op.Manner =
      switch random.below(12) {
      case 0 where !isFirstAtEnd: .fails
      case 1: .cancels
      case 2...4: .later
      default: .atOnce
      }
    let operation = Op("\(operations.count)", manner, notes)
    operations.append(operation)
    return operation
  }

  /// Adds steps, and `always` steps.
  ///
  /// The first step records that the block began.
  private func fill(_ flow: Flow, depth: Int) {
    let block = blockCount
    blockCount += 1
    flow.add("begins") { [notes] _ in notes.begun.append(block) }
    for _ in 0...random.below(3) { addStep(to: flow, depth: depth) }
    while depth > 0, random.oneIn(2) {
      let name = "End \(atEnds.count) of \(block)"
      flow.always(name) { flow in
        let first = operation(isFirstAtEnd: true)
        atEnds.append(AtEnd(block: block, name: name, first: first))
        flow.add("begins") { [notes] _ in notes.atEnd.append(name) }.add(operation: first)
        for _ in 0..<random.below(3) { addStep(to: flow, depth: depth - 1) }
      }
    }
  }

  private func addStep(to flow: Flow, depth: Int) {
    switch random.below(depth > 0 ? 9 : 5) {
    case 0, 1: flow.add(operation: operation())
    case 2:
      let chosen = random.below(2)
      flow.add(operation: operation(), .when(Self.key, is: chosen))
    case 3:
      let (number, place) = (random.below(1_000), random.below(1_000))
      // The undo's dependencies are known only when it begins.
      flow.add("undone", .undo(operation: self.made("undo \(number)", after: place))) { _ in }
    case 4:
      let place = random.below(1_000)
      if random.oneIn(3) { flow.add(self.made("made", after: place)) } else { flow.add(operation: operation()) }
    case 5:
      let inner = Flow("inner")
      fill(inner, depth: depth - 1)
      flow.add(flow: inner)
    case 6:
      flow.parallel {
        for name in ["left", "right"] { $0.branch(name) { fill($0, depth: depth - 1) } }
      }
    case 7:
      let (first, hasOther) = (random.below(2), random.oneIn(2))
      flow.cases(on: Self.key) { cases in
        cases.when(first) { fill($0, depth: depth - 1) }
        if hasOther { cases.otherwise { fill($0, depth: depth - 1) } }
      }
      if random.oneIn(2) { flow.combine() }
    default:
      if random.oneIn(3) { flow.add("fails") { _ in throw TestError() } } else { flow.add(operation: operation()) }
    }
  }

  private func made(_ name: String, after place: Int) -> Op {
    let made = Op(name, .atOnce, notes)
    if !operations.isEmpty { made.addDependency(operations[place % operations.count]) }
    return made
  }

  /// Adds dependencies, some through an operation on another queue.
  ///
  /// The check refuses few of the resulting flows.
  private func addDependencies(of flow: Flow) {
    guard operations.count > 1 else { return }
    for _ in 0..<random.below(5) {
      let (one, other) = (operations[random.below(operations.count)], operations[random.below(operations.count)])
      // On Linux, Foundation hangs if an operation is to depend on itself.
      if one === other { continue }
      var awaited: Operation = other
      if random.oneIn(4) {
        awaited = BlockOperation {}
        awaited.addDependency(other)
      }
      one.addDependency(awaited)
      let isRefused = flow.validate().contains { $0.severity == .error && $0.code == .unmeetableDependency }
      if isRefused, !random.oneIn(8) {
        one.removeDependency(awaited)
        awaited.removeDependency(other)
      } else if awaited !== other {
        queue.addOperation(awaited)
      }
    }
  }
}
