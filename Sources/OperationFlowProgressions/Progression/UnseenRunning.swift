/// A progression that has a faster way to run if no code observes its steps.
///
/// The result's type is a parameter, because a cast to a protocol with a given result costs as much as a short run.
@usableFromInline
protocol UnseenRunning {
  /// Returns the result of `run()`; `nil` if the type is not the result's.
  func runUnseen<Output>(as type: Output.Type) async throws -> Output?

  /// Returns the result of `deferred(performer:)` or `deferred(queue:)`; `nil` if the type is not the result's.
  func deferredUnseen<Output>(
    as type: Output.Type, turnLength: Int, performer: @escaping AsyncPerformer
  ) -> Deferred<Output>?
}

extension Progression {
  /// The faster way to run if no code observes the steps; `nil` if there is none.
  @usableFromInline var unseen: (any UnseenRunning)? {
    Self.self is any UnseenRunning.Type ? self as? any UnseenRunning : nil
  }
}

extension Serial: UnseenRunning {
  @usableFromInline
  func runUnseen<Output>(as type: Output.Type) async throws -> Output? { try await SerialTail(self).run() as? Output }

  @usableFromInline
  func deferredUnseen<Output>(
    as type: Output.Type, turnLength: Int, performer: @escaping AsyncPerformer
  ) -> Deferred<Output>? {
    SerialTail(self).deferred(turnLength: turnLength, performer: performer, progress: { _ in true })
      as? Deferred<Output>
  }
}

/// The steps of a `Serial` without the arrays that each of the steps contains.
///
/// All steps of one run share the progressions, which do not change, and the results, to which each step adds its own.
private enum SerialTail<Stage: Progression>: Progression {
  final class Results {
    var list: [Stage.Result]
    init(_ list: [Stage.Result]) { self.list = list }
  }

  case start(Serial<Stage>)
  case running(stages: [Stage], next: Int, Results, performer: AsyncPerformer)

  init(_ serial: Serial<Stage>) { self = .start(serial) }

  var result: [Stage.Result]? {
    switch self {
    case .start(let serial): serial.result
    case .running(let stages, let next, let results, _): next == stages.count ? results.list : nil
    }
  }

  mutating func updateOrDeferNext() throws -> Deferred<SerialTail>? {
    switch self {
    case .start(.start(let stages, let performer)):
      self = .running(stages: stages, next: 0, Results([]), performer: performer)
    case .start(.running(let remaining, let active, let completed, let performer)):
      self = .running(stages: [active] + remaining, next: 0, Results(completed), performer: performer)
    case .start(.completed): break
    case .running(let stages, let next, let results, let performer):
      return stages[next].deferred(performer: performer).mapped { result in
        results.list.append(result)
        return .running(stages: stages, next: next + 1, results, performer: performer)
      }
    }
    return nil
  }
}
