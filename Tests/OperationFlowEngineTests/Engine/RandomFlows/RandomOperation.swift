import Dispatch
import TestSupport

@testable import OperationFlow
@testable import OperationFlowDurable

/// A value that random operations write.
enum RandomValue: Sendable, Hashable {
  case number(Int)
  case text(String)

  var stored: any Sendable {
    switch self {
    case .number(let number): number
    case .text(let text): text
    }
  }
}

/// An operation of a random flow as data: the engine runs it, and the interpreter reads it.
struct RandomOperation: Sendable {
  enum End: Sendable {
    case success
    case failure(String)
    case cancellation
  }

  enum Action: Sendable {
    case log(String)
    /// Writes; `nil` removes.
    case write(String, RandomValue?)
    /// Reads, and fails if the value is missing or of the other type.
    case read(String, isText: Bool, isOptional: Bool)
    case cancelFlow
    /// Finishes before the other actions are done.
    case finish(End)
  }

  enum Style: Sendable, CaseIterable {
    /// Finishes in its main logic.
    case synchronous
    /// Finishes in its main logic, and then declares a later end.
    case finishedFirst
    /// Finishes in a callback.
    case asynchronous
    /// Finishes in a callback, without declaring a later end.
    case undeclared
    /// Never finishes, and is not retained.
    case never
  }

  var name: String
  var style: Style
  /// The actions of the main logic.
  var actions: [Action]
  /// The actions of the callback.
  var laterActions: [Action]
  var end: End
  /// The number of first attempts that fail, whatever `end` is.
  var failingAttempts = 0
  /// The number of first attempts that do nothing until their time is over.
  var hangingAttempts = 0
  /// True if the operation continues after a read that failed.
  var isStubborn: Bool
  /// The indices of the step's limiters.
  var limits: [Int] = []
  /// The handling of the step's failures.
  var care = RandomCare()

  /// Returns the end of an attempt, counted from 1.
  func end(of attempt: Int) -> End { attempt <= failingAttempts ? .failure("f\(attempt)") : end }

  var isAsynchronous: Bool { style == .asynchronous || style == .undeclared }
}

/// The handling of the failures of a step, or of each item of a group.
struct RandomCare: Sendable {
  /// The largest number of attempts.
  var attempts = 1
  /// True if there is a time limit, which is never reached.
  var hasTimeout = false
  /// The time limit of work whose attempts may hang.
  var timeLimit: Duration?
  /// The end of a recovery from the last failure; `nil` for none.
  var recovery: RandomOperation.End?
  /// The end of an undo; `nil` for none.
  var undo: RandomOperation.End?

  /// A copy for work that can't be created anew.
  var once: RandomCare {
    var care = self
    care.attempts = 1
    return care
  }
}

// MARK: Running

extension RandomOperation {
  /// Runs an attempt as the main logic of `operation`; `waits` lets the time limit pass.
  private func run(
    in operation: FlowOperation, attempt: Int, cancelFlow: @escaping @Sendable () -> Void, waits: () -> Void
  ) {
    if attempt <= hangingAttempts {
      operation.startWithAsynchronous()
      return waits()
    }
    let end = end(of: attempt)
    var isDone = false
    for action in actions {
      switch perform(action, in: operation, cancelFlow) {
      case .resume: break
      case .finished: isDone = true
      case .failed:
        isDone = true
        guard isStubborn else { return }
      case .cancelled: break
      }
    }
    switch style {
    case .never: break
    case .synchronous: finish(end, operation)
    case .finishedFirst:
      finish(end, operation)
      operation.startWithAsynchronous()
    case .asynchronous, .undeclared:
      if style == .asynchronous { operation.startWithAsynchronous() }
      guard !isDone, !operation.isCancelled else { return }
      DispatchQueue.global().async {
        for action in laterActions {
          guard case .resume = perform(action, in: operation, cancelFlow) else { return }
        }
        finish(end, operation)
      }
    }
  }

  private enum Progress { case resume, failed, finished, cancelled }

  /// Runs the next attempt; outside a flow, the attempts are counted.
  func run(
    in operation: FlowOperation, _ attempts: Locked<Int>, cancelFlow: @escaping @Sendable () -> Void,
    _ ran: (String) -> Void = { _ in }, waits: () -> Void = {}
  ) {
    let counted = attempts.withLock { count in
      count += 1
      return count
    }
    if let key = operation.idempotencyKey { ran("\(key)@\(operation.attempt ?? counted)") }
    // After a run is resumed, only the run has the number of the attempt.
    run(in: operation, attempt: operation.attempt ?? counted, cancelFlow: cancelFlow, waits: waits)
  }

  private func perform(_ action: Action, in operation: FlowOperation, _ cancelFlow: () -> Void) -> Progress {
    switch action {
    case .log(let line): operation.log(message: line)
    case .write(let key, let value): operation.setData(name: key, value: value?.stored)
    case .read(let key, true, let isOptional):
      let text: String? = operation.getData(name: key, isOptional: isOptional)
      return text == nil && !isOptional ? .failed : .resume
    case .read(let key, false, let isOptional):
      let number: Int? = operation.getData(name: key, isOptional: isOptional)
      return number == nil && !isOptional ? .failed : .resume
    case .cancelFlow:
      cancelFlow()
      return .cancelled
    case .finish(let end):
      finish(end, operation)
      return .finished
    }
    return .resume
  }

  private func finish(_ end: End, _ operation: FlowOperation) {
    switch end {
    case .success: operation.finishSuccessfully()
    case .failure(let name): operation.finishWithError(error: TestError(name: name))
    case .cancellation: operation.finishWithError(error: CancellationError())
    }
  }
}
