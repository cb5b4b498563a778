import Foundation
import TestSupport

@testable import OperationFlow

/// The place of one small run: its scheduler, its clock, its code, and all that its code captures.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class EndScene: Sendable {
  /// A piece of a flow's code.
  struct Piece: Sendable {
    var fails = false
    /// True if it waits until the scene's signal is fired, or it is cancelled.
    var waits = false
    /// True if it waits until it is cancelled.
    var hangs = false
    /// True if its failure fails the run.
    var counts = true
    /// A token that the code captures.
    let token: Token
  }

  private struct State: Sendable {
    var random: SeededGenerator
    var errorCount = 0
    var countedErrors = 0
    var operations: [Weak<FlowOperation>] = []
  }

  let scheduler: PointScheduler
  let clock: PointClock
  let probe = StressProbe()
  /// The signal that pieces wait for.
  let release = Signal()
  /// The number of tokens that are alive.
  let alive = Counter()
  /// The calls of completion blocks.
  let completions = Tally()
  /// True if some pieces wait until they are cancelled.
  let hangs: Bool
  /// True if runs have their own threads and tasks, besides those of the scheduler.
  let isFree: Bool
  private let state: Locked<State>

  init(_ scheduler: PointScheduler, seed: UInt64, isFree: Bool) {
    self.isFree = isFree
    self.scheduler = scheduler
    clock = PointClock(scheduler)
    var random = SeededGenerator(seed: seed)
    hangs = random.oneIn(3)
    state = Locked(State(random: random))
  }

  func below(_ bound: Int) -> Int { state.withLock { $0.random.below(bound) } }
  func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  /// Returns a token that is counted until it is freed, which is a point.
  func token() -> Token {
    alive.enter()
    return Token { [alive, scheduler] in
      scheduler.point()
      alive.leave()
    }
  }

  func piece(fails rarity: Int = 4, counts: Bool = true) -> Piece {
    Piece(
      fails: oneIn(rarity), waits: oneIn(2), hangs: hangs && oneIn(4), counts: counts, token: token())
  }

  // MARK: Code

  /// The number of errors that the code has thrown, and of those that fail the run.
  var errorCounts: (all: Int, counted: Int) { state.withLock { ($0.errorCount, $0.countedErrors) } }

  func run(_ piece: Piece) throws {
    probe.enter()
    defer { probe.leave() }
    piece.token.touch()
    scheduler.point()
    try end(piece)
  }

  func run(_ piece: Piece) async throws {
    probe.enter()
    defer { probe.leave() }
    piece.token.touch()
    scheduler.point()
    if piece.hangs {
      await untilCancelled()
    } else if piece.waits {
      await release.wait()
    }
    scheduler.point()
    try end(piece)
  }

  func end(_ piece: Piece) throws {
    guard piece.fails else { return }
    state.withLock { state in
      state.errorCount += 1
      if piece.counts { state.countedErrors += 1 }
    }
    throw TestError()
  }

  // MARK: Operations

  /// Creates an operation whose end is watched.
  func operation(_ piece: Piece) -> EndOp {
    let operation = EndOp(self, piece, EndOp.Manner.allCases[below(EndOp.Manner.allCases.count)])
    operation.completionBlock = { [completions] in completions.add() }
    state.withLock { $0.operations.append(Weak(operation)) }
    return operation
  }

  /// The number of operations that were made, and those that have not finished.
  var operations: (count: Int, open: [FlowOperation]) {
    let operations = state.withLock { $0.operations }
    return (operations.count, operations.compactMap(\.object).filter { !$0.isFinished })
  }
}

/// A weak reference.
struct Weak<Object: AnyObject & Sendable>: Sendable {
  weak let object: Object?
  init(_ object: Object?) { self.object = object }
}

/// An operation that ends in one of several manners, and reaches a point at each step of its life.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class EndOp: FlowOperation, @unchecked Sendable {
  // Invariant: all properties are constants.
  enum Manner: CaseIterable {
    case finishes, finishesTwice, later, laterTwice, undeclared, finishesInCancel, runs
  }

  private let scene: EndScene
  private let piece: EndScene.Piece
  private let manner: Manner

  init(_ scene: EndScene, _ piece: EndScene.Piece, _ manner: Manner) {
    self.scene = scene
    self.piece = piece
    self.manner = manner
  }

  override func mainLogic() {
    if manner == .runs { return super.mainLogic() }
    scene.probe.enter()
    defer { scene.probe.leave() }
    scene.scheduler.point()
    switch manner {
    case .finishes: finish()
    case .finishesTwice:
      finish()
      scene.scheduler.add { self.finish() }
    case .later, .laterTwice, .finishesInCancel:
      startWithAsynchronous()
      finishLater()
    case .undeclared: finishLater()
    case .runs: break
    }
    scene.scheduler.point()
  }

  override func run() async throws { try await scene.run(piece) }

  override func cancel() {
    scene.scheduler.point()
    if manner == .finishesInCancel { finishWithError(error: CancellationError()) }
    super.cancel()
    scene.scheduler.point()
  }

  private func finishLater() {
    if piece.hangs, manner != .undeclared { return }
    let scene = scene
    let waits = piece.waits
    _ = scene.clock.startTask {
      if waits { await scene.release.wait() }
      scene.scheduler.point()
      self.finish()
      if self.manner == .laterTwice { self.finish() }
    }
  }

  private func finish() {
    do {
      try scene.end(piece)
      finishSuccessfully()
    } catch { finishWithError(error: error) }
  }
}
