import Foundation
import OperationFlowDurable
import TestSupport

@testable import OperationFlow

/// The small flows at whose ends something else happens.
enum EndKind: CaseIterable, Sendable {
  case empty, closure, task, object, factory, group, operations, stream, results, parallel, cases, nested, always, undo
  case retry, recover, timeout, abandon, limit, deadline, quiet, wait, dependency
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension EndScene {
  /// Creates a flow of a kind, whose code captures tokens.
  func flow(_ kind: EndKind) -> Flow {
    let flow = Flow("end").clock(isFree ? FreeClock(clock: clock) : clock).recording(.everything).set(
      "token", to: token())
    if oneIn(3) { add(piece(fails: 10), to: flow) }
    addSteps(kind, to: flow)
    if oneIn(3) { add(piece(fails: 10), to: flow) }
    return flow
  }

  private func add(_ piece: Piece, to flow: Flow, _ traits: StepTrait<FlowStep.Repeatable>...) {
    let trait = StepTrait<FlowStep.Repeatable> { options in for trait in traits { trait.change(&options) } }
    if oneIn(2) {
      flow.add("sync", trait) { _ in try self.run(piece) }
    } else {
      addTask(piece, to: flow, trait)
    }
  }

  private func addTask(_ piece: Piece, to flow: Flow, _ trait: StepTrait<FlowStep.Repeatable>) {
    flow.add("async", trait) { _ async throws in try await self.run(piece) }
  }

  private func addSteps(_ kind: EndKind, to flow: Flow) {
    switch kind {
    case .empty: break
    case .closure, .task: add(piece(), to: flow)
    case .object: flow.add(operation: operation(piece()))
    case .factory:
      let piece = piece(counts: false)
      flow.add(self.operation(piece))
    case .group, .operations, .stream, .results, .limit: addGroup(kind, to: flow)
    case .parallel:
      flow.parallel { branches in
        for index in 0..<2 { branches.branch("branch \(index)") { self.add(self.piece(), to: $0) } }
      }
    case .cases:
      flow.set("case" as FlowKey<Int>, to: 1).cases(on: "case" as FlowKey<Int>) { cases in
        cases.when(1) { self.add(self.piece(), to: $0) }
      }
    case .nested:
      let inner = Flow("inner")
      add(piece(), to: inner)
      flow.add(flow: inner)
    case .always:
      add(piece(), to: flow)
      flow.always("always") { self.add(self.closingPiece(), to: $0) }
    case .undo:
      let (undo, timeout) = (closingPiece(), oneIn(2) ? Duration.seconds(5) : nil)
      let trait = StepTrait<FlowStep.Repeatable>.undo(
        retry: oneIn(2) ? .attempts(2, delay: .seconds(1)) : nil, timeout: timeout, alsoIfUncertain: oneIn(2)
      ) { _ in try await self.run(undo) }
      add(piece(), to: flow, trait)
      add(piece(fails: 2), to: flow)
    case .retry: add(piece(fails: oneIn(3) ? 2 : 1), to: flow, .retry(.attempts(2, delay: .seconds(1))))
    case .recover:
      let recovery = piece()
      add(piece(fails: 2, counts: false), to: flow, .recover { _, _ in try await self.run(recovery) })
    case .timeout:
      addTask(piece(counts: false), to: flow, .timeout(.seconds(5), of: oneIn(2) ? .eachAttempt : .allAttempts))
    case .abandon: addAbandoned(to: flow)
    case .deadline: add(piece(counts: false), to: flow.deadline(.seconds(5)))
    case .wait:
      let signal = FlowSignal<Int>("signal")
      if oneIn(2) { flow.wait(.seconds(5)) } else { flow.wait(for: signal, continuingAfter: .seconds(5)) }
      add(piece(), to: flow)
    case .dependency: addDependencies(to: flow)
    case .quiet: add(piece(), to: flow.quietWarning(after: .seconds(5)))
    }
  }

  /// Returns a piece that may begin after the end is decided, so that no cancel reaches it.
  private func closingPiece() -> Piece {
    var piece = piece(counts: false)
    piece.hangs = false
    return piece
  }

  private func addGroup(_ kind: EndKind, to flow: Flow) {
    let (pieces, width) = ((0...below(3)).map { _ in piece(fails: 6, counts: false) }, 1 + below(2))
    let tolerance: FlowTolerance = oneIn(2) ? .none : .all
    switch kind {
    case .operations:
      let works = pieces.map { piece in
        Work { operation in
          operation.startWithAsynchronous()
          self.scheduler.add {
            do {
              try self.end(piece)
              operation.setData(name: "output", value: 1)
              operation.finishSuccessfully()
            } catch { operation.finishWithError(error: error) }
          }
        }
      }
      flow.forEach(in: works, into: "out" as FlowKey<[Int]>, width: width, tolerating: tolerance, run: WorkOp.self)
    case .stream:
      let ends = !hangs
      flow.forEach(in: self.stream(of: pieces, ends: ends), width: width, tolerating: tolerance) {
        piece, _ async throws in
        try await self.run(piece)
      }
    case .results:
      let handler = closingPiece()
      flow.forEach(
        in: pieces, into: "out" as FlowKey<[Int]>, width: width, tolerating: tolerance,
        .onEachResult(in: oneIn(2) ? .input : .completion) { _, _, _ in try await self.run(handler) }
      ) { piece, _ async throws in
        try await self.run(piece)
        return 1
      }
    case .limit:
      let limiter = FlowLimiter(atMost: 1)
      flow.forEach(in: pieces, width: 2, tolerating: tolerance, .limited(by: limiter)) { piece, _ async throws in
        try await self.run(piece)
      }
    default:
      flow.forEach(in: pieces, width: width, tolerating: tolerance) { piece, _ async throws in
        try await self.run(piece)
      }
    }
  }

  private func stream(of pieces: [Piece], ends: Bool) -> AsyncStream<Piece> {
    let (stream, items) = AsyncStream.makeStream(of: Piece.self)
    for piece in pieces { scheduler.add { items.yield(piece) } }
    scheduler.add { if ends { items.finish() } }
    // A stream that isn't finished ends only when its group is cancelled.
    return stream
  }

  /// Adds operations that depend on each other, and one that depends on an operation outside.
  private func addDependencies(to flow: Flow) {
    let (first, second, third) = (operation(piece()), operation(piece()), operation(piece()))
    let outside = BlockOperation { [scheduler] in scheduler.point() }
    first.addDependency(outside)
    second.addDependency(first)
    third.addDependency(second)
    flow.parallel { branches in
      branches.branch("a") { $0.add(operation: first) }
      branches.branch("b") { $0.add(operation: second) }
    }
    flow.add(operation: third)
    scheduler.add { outside.start() }
  }

  /// Adds work that may continue after its end, and even after that of the run, so that no probe watches it.
  private func addAbandoned(to flow: Flow) {
    let (token, waits) = (token(), oneIn(2))
    flow.add("abandoned", .timeout(.seconds(5), abandoningAfter: .seconds(1))) { _ async in
      self.scheduler.point()
      if waits { await self.release.wait() }
      self.scheduler.point()
      token.touch()
    }
  }
}
