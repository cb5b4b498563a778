import OperationFlow
import OperationFlowProgressions

extension Progression {
  /// Takes the one step that follows this one, and returns where it leads.
  ///
  /// It is run as every way of running does, in whichever of the three ways the type writes its steps:
  ///
  /// ```swift
  /// let next = try await Greeting.name("Al").takingStep()
  /// ```
  /// The value itself stays as it is. Cancelling the task cancels an asynchronous step.
  ///
  /// - Returns: The next step.
  /// - Throws: What the step throws; ``StepMismatch`` if there is a result already, and so no step to take.
  public func takingStep() async throws -> Self {
    var reached = steps.makeAsyncIterator()
    _ = try await reached.next()
    guard let next = try await reached.next() else {
      throw StepMismatch(at: self, "it is the last step: there is a result, and nothing is left to take")
    }
    return next
  }

  // MARK: Where a step leads

  /// Takes one step, and throws unless it leads to the one that is expected.
  ///
  /// - Parameter expected: The next step, compared with `==`.
  /// - Returns: The next step.
  /// - Throws: ``StepMismatch`` with both steps if it leads elsewhere; what the step throws.
  @discardableResult
  public func expectStep(to expected: Self) async throws -> Self where Self: Equatable {
    let next = try await takingStep()
    guard next == expected else {
      throw StepMismatch(at: self, "it leads to \(described(next)), and not to \(described(expected))")
    }
    return next
  }

  /// Takes one step, and throws unless it leads to one of that name: for steps that can't be compared.
  ///
  /// - Parameter name: The name of the next step, which is its case's, such as `"done"`.
  /// - Returns: The next step.
  /// - Throws: ``StepMismatch`` if it leads elsewhere; what the step throws.
  @discardableResult
  public func expectStep(named name: String) async throws -> Self {
    let next = try await takingStep()
    guard next.stepName == name else {
      throw StepMismatch(at: self, "it leads to \(described(next)), and not to a step named \(name)")
    }
    return next
  }

  /// Takes one step, and throws unless it leads to what `pattern` finds something in.
  ///
  /// ```swift
  /// let text = try await Greeting.name("Al").expectStep { if case .greeting(let text) = $0 { text } else { nil } }
  /// ```
  ///
  /// - Parameter pattern: What the test wants of the next step; `nil` if it is another one.
  /// - Returns: What `pattern` has found.
  /// - Throws: ``StepMismatch`` if that is nothing; what the step or `pattern` throws.
  @discardableResult
  public func expectStep<Found>(_ pattern: (Self) throws -> Found?) async throws -> Found {
    let next = try await takingStep()
    guard let found = try pattern(next) else {
      throw StepMismatch(at: self, "it leads to \(described(next)), which is not what is expected")
    }
    return found
  }

  // MARK: How a step fails

  /// Takes one step, and throws unless that fails with an error of the type given.
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
