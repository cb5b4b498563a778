/// Progressions that run one after the other, as a progression itself.
///
/// Each of its steps contains the remaining progressions and the results so far, so you can store and inspect it
/// between two steps. That copies both for each step. If no code observes the steps, as in `run()` and
/// `deferred(queue:)`, nothing is copied.
public enum Serial<Stage: Progression> {
  /// The results, in the order of the progressions.
  public typealias Result = [Stage.Result]

  /// Nothing has run yet.
  case start(stages: [Stage], performer: AsyncPerformer)
  /// A progression is about to run, and others may remain.
  case running(
    remainingStages: [Stage], activeStage: Stage, completedSoFar: [Stage.Result], performer: AsyncPerformer)
  /// All have run.
  case completed(Result)
}

extension Serial: Progression {
  /// Continues with the next progression, or runs the active one.
  ///
  /// - Returns: A deferred of the step after the active progression.
  /// - Throws: Nothing; the deferred fails with the error of the active progression.
  public mutating func updateOrDeferNext() throws -> Deferred<Serial>? {
    switch self {
    case .start(let stages, let performer): self = Serial(stages[...], completed: [], performer: performer)
    case .running(let remaining, let active, let completed, let performer):
      return active.deferred(performer: performer).mapped { result in
        Serial(remaining[...], completed: completed + [result], performer: performer)
      }
    case .completed: break
    }
    return nil
  }

  /// The results, once all have run.
  public var result: Result? {
    guard case .completed(let results) = self else { return nil }
    return results
  }

  private init(_ remaining: ArraySlice<Stage>, completed: [Stage.Result], performer: @escaping AsyncPerformer) {
    if let first = remaining.first {
      self = .running(
        remainingStages: Array(remaining.dropFirst()), activeStage: first, completedSoFar: completed,
        performer: performer)
    } else {
      self = .completed(completed)
    }
  }
}

extension Sequence where Element: Progression {
  /// Runs the progressions one after the other.
  ///
  /// - Parameter performer: The performer of each step.
  /// - Returns: A deferred of the results, in the order of the progressions. It fails with the first error, and the
  ///   progressions after that do not run.
  @preconcurrency
  public func serially(on performer: @escaping AsyncPerformer) -> Deferred<[Element.Result]> {
    let stages = Array(self)
    return .future { resolve in SerialRun(stages, performer: performer, resolve: resolve).resume() }
  }
}

/// Runs progressions one after the other, and collects their results in one array.
private final class SerialRun<Stage: Progression>: @unchecked Sendable {
  // Invariant: used by one thread at a time: the one that delivered the last result.
  private let stages: [Stage]
  private let performer: AsyncPerformer
  private let resolve: Deferred<[Stage.Result]>.Resolve
  private var results: [Stage.Result] = []

  init(_ stages: [Stage], performer: @escaping AsyncPerformer, resolve: @escaping Deferred<[Stage.Result]>.Resolve) {
    self.stages = stages
    self.performer = performer
    self.resolve = resolve
  }

  func resume() {
    guard results.count < stages.count else {
      let results = results
      return resolve { results }
    }
    stages[results.count].deferred(performer: performer).begin { use in
      do {
        self.results.append(try use())
        // Left to the thread's loop, so that results that are available immediately do not nest.
        Trampoline.enter(wanting: nil) { self.resume() }
      } catch {
        self.resolve { throw error }
      }
    }
  }
}
