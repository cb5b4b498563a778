import Foundation

/// Runs something, on a queue of its choice, such as `{ queue.async(execute: $0) }`.
public typealias AsyncPerformer = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

/// Takes a progression's steps in turns, each of which is performed by a performer.
///
/// A turn goes on from step to step in a loop while the next is there at once. It ends when the next step comes later,
/// or when it has taken as many steps as a turn may, so that others get at the queue.
final class StepDriver<Step: Progression>: @unchecked Sendable {
  // Invariant: `turn` is used under the lock. Everything else that changes belongs to whoever has the turn, of whom
  // there is one: a turn is begun by `hop()` once its predecessor is over, and performed once, even if the performer
  // runs its work twice.
  private var turn = 0
  private var step: Step
  private var taker = StepTaker<Step>()
  private var arrived: Deferred<Step>.UseResult?
  private let turnLength: Int
  private let performer: AsyncPerformer
  private let progress: (Step) -> Bool
  private let resolve: Deferred<Step.Result>.Resolve

  init(
    _ step: Step, turnLength: Int, performer: @escaping AsyncPerformer, progress: @escaping (Step) -> Bool,
    resolve: @escaping Deferred<Step.Result>.Resolve
  ) {
    self.step = step
    self.turnLength = turnLength
    self.performer = performer
    self.progress = progress
    self.resolve = resolve
  }

  /// Has the next turn performed.
  func hop() {
    let next = SharedLocks.lock(of: self).withLock {
      turn += 1
      return turn
    }
    // Left to the thread's loop, so that a performer that performs at once does not nest one turn in the other.
    Trampoline.enter(wanting: nil) { [performer] in
      performer {
        guard self.claim(next) else { return }
        self.takeSteps()
      }
    }
  }

  private func claim(_ number: Int) -> Bool {
    SharedLocks.lock(of: self).withLock {
      guard turn == number else { return false }
      turn += 1
      return true
    }
  }

  private func takeSteps() {
    do {
      if let use = arrived {
        arrived = nil
        step = try use()
      }
      for _ in 0..<turnLength {
        guard progress(step) else { throw FlowError.stoppedByProgress }
        if let result = step.result { return resolve { result } }
        guard try takeStep() else { return }
      }
      hop()
    } catch {
      resolve { throw error }
    }
  }

  /// Takes a step; false where it comes later, and whoever brings it has the turn.
  private func takeStep() throws -> Bool {
    switch try taker.take(&step) {
    case .taken: return true
    case .deferred(.unit(let use)): step = try use()
    case .deferred(.future(let request)):
      guard let use = Handoff<Step>({ self.arrive($0) }).start(request) else { return false }
      step = try use()
    case .asynchronous:
      Task { await advance() }
      return false
    }
    return true
  }

  private func arrive(_ use: @escaping Deferred<Step>.UseResult) {
    arrived = use
    hop()
  }

  private func advance() async {
    do {
      try await taker.advance(&step)
    } catch {
      arrived = { throw error }
    }
    hop()
  }
}
