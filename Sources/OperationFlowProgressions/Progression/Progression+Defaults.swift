import OperationFlow

// Each way of writing a step is there for all types, by way of another one. A default that is asked whether it is one
// says so and does nothing, which is what keeps them from asking each other for ever.

extension Progression {
  /// The next step in the way that the type has written: by ``next()`` or by ``advance()``.
  ///
  /// - Returns: A ``Deferred`` of the next step.
  /// - Throws: Nothing; if no way is written, the deferred fails.
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

  /// The next step in the way that the type has written: by ``updateOrDeferNext()`` or by ``advance()``.
  ///
  /// - Returns: A ``Deferred`` of the next step; performed twice, it takes the step twice, from the same value.
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

  /// Changes the value to the next step in the way that the type has written: by ``updateOrDeferNext()`` or ``next()``.
  ///
  /// - Throws: What the step fails with, or `notImplemented` if no way is written.
  public mutating func advance() async throws {
    if StepQuestion.isAsked(about: .advance, of: Self.self) { throw FlowError.noStep(of: Self.self) }
    if let deferred = try updateOrDeferNext() { self = try await deferred.value }
  }
}
