import Foundation
import OperationFlowStepFunctions
import TestSupport

/// A plain interpreter of the part of Amazon States Language that exports use, written from its specification.
///
/// Delays and time limits need no time. A missing path fails the execution, and no `Catch` handles it.
final class Interpreter: Sendable {
  /// The error of an execution or a state.
  struct Failure: Error, Equatable {
    let error: String
    let cause: String
    /// True if states may catch the error.
    var isCaught = true
  }

  typealias Performing = @Sendable (_ input: Data) async throws -> Data

  private let perform: Performing
  /// The names of the states that were entered, in order.
  let entered = Journal<String>()

  init(_ perform: @escaping Performing) { self.perform = perform }

  convenience init(_ performer: FlowTaskPerformer) { self.init { try await performer.perform($0) } }

  /// Runs a machine.
  func run(_ definition: StateMachineDefinition, _ input: Data, id: String = "run-1") async -> Result<Value, Failure> {
    do {
      let data = try Value(input)
      let context: Value = .object(["Execution": .object(["Id": .text(id), "Input": data])])
      return .success(try await runList(try Value(definition.json), data, context))
    } catch let failure as Failure {
      return .failure(failure)
    } catch {
      return .failure(Failure(error: "Interpreter", cause: "\(error)"))
    }
  }

  private func runList(_ list: Value, _ input: Value, _ context: Value) async throws -> Value {
    var (name, data) = (list["StartAt"]?.text ?? "", input)
    while true {
      guard let state = list["States"]?[name] else { throw Failure(error: "States.Runtime", cause: "no state \(name)") }
      entered.append(name)
      switch try await step(state, data, context) {
      case .end(let output): return output
      case .next(let next, let output): (name, data) = (next, output)
      }
    }
  }

  private enum Step {
    case next(String, Value)
    case end(Value)
  }

  private func step(_ state: Value, _ data: Value, _ context: Value) async throws -> Step {
    func following(_ output: Value) -> Step {
      if state["End"] == .boolean(true) { return .end(output) }
      return .next(state["Next"]?.text ?? "", output)
    }
    switch state["Type"]?.text {
    case "Succeed": return .end(data)
    case "Fail":
      throw Failure(
        error: try state["Error"]?.text ?? path(state["ErrorPath"]?.text ?? "", data, context).text ?? "",
        cause: try cause(state["CausePath"]?.text ?? "", data, context))
    // Time is not simulated.
    case "Wait": return following(data)
    case "Choice": return .next(try choose(state, data, context), data)
    case "Pass":
      var result = try state["InputPath"].map { try path($0.text ?? "", data, context) } ?? data
      if let parameters = state["Parameters"] { result = try template(parameters, data, context) }
      if let fixed = state["Result"] { result = fixed }
      let output = try placed(result, state["ResultPath"], data)
      return following(try state["OutputPath"].map { try path($0.text ?? "", output, context) } ?? output)
    default: break
    }
    var counts: [Int: Int] = [:]
    var retries = 0
    while true {
      var context = context
      context["State"] = .object(["RetryCount": .number(Double(retries))])
      do {
        return following(try placed(try await work(state, data, context), state["ResultPath"], data))
      } catch let failure as Failure where failure.isCaught {
        let rules = state["Retry"]?.elements ?? []
        if let index = rules.firstIndex(where: { matches($0, failure) }) {
          let used = counts[index, default: 0]
          if used < rules[index]["MaxAttempts"]?.number ?? 3 {
            counts[index] = used + 1
            retries += 1
            continue
          }
        }
        guard let rule = state["Catch"]?.elements?.first(where: { matches($0, failure) }) else { throw failure }
        let error: Value = .object(["Error": .text(failure.error), "Cause": .text(failure.cause)])
        return .next(rule["Next"]?.text ?? "", try placed(error, rule["ResultPath"], data))
      }
    }
  }

  private func matches(_ rule: Value, _ failure: Failure) -> Bool {
    rule["ErrorEquals"]?.elements?.contains { $0 == .text(failure.error) || $0 == .text("States.ALL") } ?? false
  }

  private func work(_ state: Value, _ data: Value, _ context: Value) async throws -> Value {
    switch state["Type"]?.text {
    case "Task":
      let input = try template(state["Parameters"] ?? .null, data, context)
      do {
        return try Value(try await perform(input.data))
      } catch let failure as FlowTaskFailure {
        throw Failure(error: failure.name, cause: failure.cause)
      }
    case "Parallel":
      let branches = state["Branches"]?.elements ?? []
      return .array(
        try await all(branches.map { branch in { try await self.runList(branch, data, context) } }, branches.count))
    case "Map":
      let items = try path(state["ItemsPath"]?.text ?? "", data, context).elements ?? []
      let (selector, processor) = (state["ItemSelector"] ?? .null, state["ItemProcessor"] ?? .null)
      let isDistributed = processor["ProcessorConfig"]?["Mode"] == .text("DISTRIBUTED")
      let runs = items.enumerated().map { index, item in
        { @Sendable () async throws -> Value in
          var (context, inner) = (context, context)
          context["Map"] = .object(["Item": .object(["Index": .number(Double(index)), "Value": item])])
          // The items of a distributed map are executions of their own.
          if isDistributed { inner["Execution"] = .object(["Id": .text("child-\(index)")]) } else { inner = context }
          return try await self.runList(processor, try self.template(selector, data, context), inner)
        }
      }
      return .array(try await all(runs, max(1, state["MaxConcurrency"]?.number ?? 1)))
    default: throw Failure(error: "States.Runtime", cause: "unknown type", isCaught: false)
    }
  }

  /// Performs at most `width` runs at the same time; the first failure cancels the others.
  private func all(_ runs: [@Sendable () async throws -> Value], _ width: Int) async throws -> [Value] {
    try await withThrowingTaskGroup(of: (Int, Value).self) { group in
      var results = [Value](repeating: .null, count: runs.count)
      var waiting = Array(runs.enumerated()).makeIterator()
      for _ in 0..<width {
        if let (index, run) = waiting.next() { group.addTask { (index, try await run()) } }
      }
      while let (index, value) = try await group.next() {
        results[index] = value
        if let (index, run) = waiting.next() { group.addTask { (index, try await run()) } }
      }
      return results
    }
  }

  // MARK: Choices

  /// Returns the cause at a path, or a text that contains the value at a path.
  private func cause(_ text: String, _ data: Value, _ context: Value) throws -> String {
    guard let parts = text.wholeMatch(of: #/States\.Format\('\{\}([^',]*)', ([^)]+)\)/#) else {
      return try path(text, data, context).text ?? ""
    }
    return (try path(String(parts.2), data, context).text ?? "") + parts.1
  }

  private func choose(_ state: Value, _ data: Value, _ context: Value) throws -> String {
    for rule in state["Choices"]?.elements ?? [] where try holds(rule, data, context) {
      return rule["Next"]?.text ?? ""
    }
    guard let name = state["Default"]?.text else { throw Failure(error: "States.NoChoiceMatched", cause: "") }
    return name
  }

  private func holds(_ rule: Value, _ data: Value, _ context: Value) throws -> Bool {
    if let tests = rule["And"]?.elements { return try tests.allSatisfy { try holds($0, data, context) } }
    let found = find(rule["Variable"]?.text ?? "", data, context)
    if let wanted = rule["IsPresent"]?.boolean { return (found != nil) == wanted }
    guard let found else { throw Failure(error: "States.Runtime", cause: "no \(rule)", isCaught: false) }
    if let wanted = rule["IsNull"]?.boolean { return (found == .null) == wanted }
    for name in ["StringEquals", "NumericEquals", "BooleanEquals"] {
      if let wanted = rule[name] { return found == wanted }
    }
    if let pattern = rule["StringMatches"]?.text, pattern.hasSuffix("*") {
      return found.text?.hasPrefix(pattern.dropLast()) == true
    }
    throw Failure(error: "States.Runtime", cause: "unknown test", isCaught: false)
  }
}
