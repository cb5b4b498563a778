import OperationFlow

extension Progression {
  /// Performs the step, and returns the step that it leads to.
  ///
  /// The step is performed as in each way of running, for each of the three ways in which a type implements its steps:
  ///
  /// ```swift
  /// let next = try await Greeting.name("Al").takingStep()
  /// ```
  /// The value itself doesn't change. Cancelling the task cancels an asynchronous step.
  ///
  /// - Returns: The next step.
  /// - Throws: The error that the step throws; ``StepMismatch`` if there is already a result, and so no step to
  ///   perform.
  public func takingStep() async throws -> Self {
    var reached = steps.makeAsyncIterator()
    _ = try await reached.next()
    guard let next = try await reached.next() else {
      throw StepMismatch(at: self, "it is the last step: there is a result, and nothing is left to take")
    }
    return next
  }

  // MARK: Where a step leads

  /// Performs one step, and throws unless it leads to the expected one.
  ///
  /// - Parameter expected: The next step, compared with `==`.
  /// - Returns: The next step.
  /// - Throws: ``StepMismatch`` with both steps if it leads elsewhere; the error that the step throws.
  @discardableResult
  public func expectStep(to expected: Self) async throws -> Self where Self: Equatable {
    let next = try await takingStep()
    guard next == expected else {
      throw StepMismatch(at: self, "it leads to \(described(next)), and not to \(described(expected))")
    }
    return next
  }

  /// Performs one step, and throws unless it leads to a step with that name: for steps that can't be compared.
  ///
  /// - Parameter name: The name of the next step, which is its case's name, such as `"done"`.
  /// - Returns: The next step.
  /// - Throws: ``StepMismatch`` if it leads elsewhere; the error that the step throws.
  @discardableResult
  public func expectStep(named name: String) async throws -> Self {
    let next = try await takingStep()
    guard next.stepName == name else {
      throw StepMismatch(at: self, "it leads to \(described(next)), and not to a step named \(name)")
    }
    return next
  }

  /// Performs one step, and throws unless it leads to a step for which `pattern` returns a value.
  ///
  /// ```swift
  /// let text = try await Greeting.name("Al").expectStep { if case .greeting(let text) = $0 { text } else { nil } }
  /// ```
  ///
  /// - Parameter pattern: A function that returns a value from the next step; `nil` if it is a different step.
  /// - Returns: The value that `pattern` returned.
  /// - Throws: ``StepMismatch`` if `pattern` returns `nil`; the error that the step or `pattern` throws.
  @discardableResult
  public func expectStep<Found>(_ pattern: (Self) throws -> Found?) async throws -> Found {
    let next = try await takingStep()
    guard let found = try pattern(next) else {
      throw StepMismatch(at: self, "it leads to \(described(next)), which is not what is expected")
    }
    return found
  }

  // MARK: Steps that fail

  /// Performs one step, and throws unless it fails with an error of the given type.
  ///
  /// - Parameter type: The type of the error; `FlowError.self`, or one of your own.
  /// - Returns: The error, for a closer look.
  /// - Throws: ``StepMismatch`` if the step succeeds, or fails with an error of another type.
  @discardableResult
  public func expectFailure<Failure: Error>(_ type: Failure.Type = Failure.self) async throws -> Failure {
    let next: Self
    do {
      next = try await takingStep()
    } catch let mismatch as StepMismatch {
      throw mismatch
    } catch let error as Failure {
      return error
    } catch {
      throw StepMismatch(at: self, "it fails with \(error), and not with a \(type)")
    }
    throw StepMismatch(at: self, "it leads to \(described(next)), and doesn't fail with a \(type)")
  }
}
