import Foundation
import OperationFlow

/// Runs a progression's steps in turns, each of which a performer performs.
///
/// A turn continues from step to step in a loop while the next one is available immediately. It ends when the next step
/// is pending, or at the maximum number of steps of a turn, so that others can use the queue.
@usableFromInline
final class StepDriver<Step: Progression>: @unchecked Sendable {
  // Invariant: the mutable properties except `turn` belong to the thread that has the turn. There is only one: `hop()`
  // begins a turn when the last one is over, and a turn is performed once, even if the performer runs its work twice.
  private let turn = Locked(0)
  private let performer: AsyncPerformer
  /// The start of the next turn; `nil` during a turn, so that the step that it changes has no other reference.
  @usableFromInline var position: Position?
  @usableFromInline var runner = StepRunner<Step>()
  @usableFromInline let turnLength: Int
  @usableFromInline let progress: (Step) -> Bool
  @usableFromInline let resolve: Deferred<Step.Result>.Resolve

  @usableFromInline
  enum Position {
    case step(Step)
    case arrived(Deferred<Step>.UseResult)
  }

  @usableFromInline
  init(
    _ step: Step, turnLength: Int, performer: @escaping AsyncPerformer, progress: @escaping (Step) -> Bool,
    resolve: @escaping Deferred<Step.Result>.Resolve
  ) {
    position = .step(step)
    self.turnLength = turnLength
    self.performer = performer
    self.progress = progress
    self.resolve = resolve
  }

  /// Calls the performer for the next turn.
  @inlinable
  func hop() {
    perform { $0.runSteps() }
  }

  @inlinable
  func runSteps() {
    do {
      guard var step = try takePosition() else { return }
      for _ in 0..<turnLength {
        guard progress(step) else { throw FlowError.stoppedByProgress }
        if let result = step.result { return resolve { result } }
        switch try runner.perform(&step) {
        case .done: break
        case .deferred(.unit(let use)): step = try use()
        case .deferred(.future(let request)):
          let use = start(request) { driver, use in
            driver.position = .arrived(use)
            driver.hop()
          }
          guard let use else { return }
          step = try use()
        case .asynchronous:
          position = .step(step)
          Task { await advance() }
          return
        }
      }
      position = .step(step)
      hop()
    } catch {
      resolve { throw error }
    }
  }

  @inlinable
  func advance() async {
    do {
      guard var step = try takePosition() else { return }
      try await runner.advance(&step)
      position = .step(step)
    } catch {
      position = .arrived { throw error }
    }
    hop()
  }

  @inlinable
  func takePosition() throws -> Step? {
    switch position.take() {
    case .step(let step): step
    case .arrived(let use): try use()
    case nil: nil
    }
  }

  /// Starts a future, and returns its immediate result; a later result is passed to `arrive`.
  @usableFromInline
  func start(
    _ request: (@escaping Deferred<Step>.Resolve) -> Void,
    arrive: @escaping (StepDriver, @escaping Deferred<Step>.UseResult) -> Void
  ) -> Deferred<Step>.UseResult? {
    Handoff { use in arrive(self, use) }.start(request)
  }

  /// Calls the performer with `body` as the next turn.
  @usableFromInline
  func perform(_ body: @escaping @Sendable (StepDriver) -> Void) {
    let next = turn.withLock { turn in
      turn += 1
      return turn
    }
    // Left to the thread's loop, so that turns don't nest if the performer performs immediately.
    Trampoline.enter(wanting: nil) { [performer] in
      performer {
        guard self.claim(next) else { return }
        body(self)
      }
    }
  }

  private func claim(_ number: Int) -> Bool {
    turn.withLock { turn in
      guard turn == number else { return false }
      turn += 1
      return true
    }
  }
}
