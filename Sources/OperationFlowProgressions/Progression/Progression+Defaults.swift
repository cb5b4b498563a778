import OperationFlow

// Every type has all three ways to perform a step: those that it doesn't implement use another one. `StepQuestion` asks
// if a
// method is a default. A default that is asked only confirms that, so the defaults never call each other forever.

extension Progression {
  /// Performs the next step in the way that the type implements: with ``next()`` or ``advance()``.
  ///
  /// - Returns: A ``Deferred`` of the next step.
  /// - Throws: Nothing; if the type implements no way, the deferred fails.
  public mutating func updateOrDeferNext() throws -> Deferred<Self>? {
    if StepQuestion.isAsked(about: .update, of: Self.self) { return nil }
    if let deferred = StepQuestion.written(.next, of: Self.self, { next() }) { return deferred }
    let start = Transfer(self)
    return .future { resolve in
      Task {
        var step = start.value
        do {
          try await StepQuestion.written(.advance, of: Self.self) { try await step.advance() }
          let next = Transfer(step)
          resolve { next.value }
        } catch {
          resolve { throw error }
        }
      }
    }
  }

  /// Performs the next step in the way that the type implements: with ``updateOrDeferNext()`` or ``advance()``.
  ///
  /// - Returns: A ``Deferred`` of the next step. If it is performed twice, the step runs twice, from the same value.
  public func next() -> Deferred<Self> {
    if StepQuestion.isAsked(about: .next, of: Self.self) { return Deferred(throwing: FlowError.noStep(of: Self.self)) }
    return .future { resolve in
      var step = self
      do {
        if let deferred = try step.updateOrDeferNext() {
          deferred.passOn(to: resolve)
        } else {
          let next = step
          resolve { next }
        }
      } catch {
        resolve { throw error }
      }
    }
  }

  /// Changes the value to the next step in the way that the type implements: with ``updateOrDeferNext()`` or
  /// ``next()``.
  ///
  /// - Throws: The error that the step fails with, or `notImplemented` if the type implements no way.
  public mutating func advance() async throws {
    if StepQuestion.isAsked(about: .advance, of: Self.self) { throw FlowError.noStep(of: Self.self) }
    if let deferred = try updateOrDeferNext() { self = try await deferred.value }
  }
}
