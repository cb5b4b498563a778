import Foundation
import OperationFlow
import OperationFlowStepFunctions

/// A service in memory that records the requests, and answers each with a closure.
final class ScriptedTransport: StepFunctionsTransport {
  /// A request with its body as members of a JSON object.
  struct Call: Sendable, Hashable {
    let action: String
    let members: [String: String]
    let timeout: Duration
  }

  private let calls = Locked([Call]())
  private let answer: @Sendable (_ call: Call, _ number: Int) async throws -> String

  /// Creates a service.
  ///
  /// `answer` returns JSON for a request; its number counts from 1.
  init(_ answer: @escaping @Sendable (_ call: Call, _ number: Int) async throws -> String) { self.answer = answer }

  var requests: [Call] { calls.withLock { $0 } }

  func requests(_ action: String) -> [Call] { requests.filter { $0.action == action } }

  func send(_ request: StepFunctionsRequest) async throws -> Data {
    let object = try JSONSerialization.jsonObject(with: request.body) as? [String: Any] ?? [:]
    let call = Call(
      action: request.action, members: object.mapValues { "\($0)" }, timeout: request.timeout)
    let number = calls.withLock { calls in
      calls.append(call)
      return calls.count
    }
    return Data(try await answer(call, number).utf8)
  }

  /// Returns the service's refusal of a request.
  static func refusal(_ code: String, status: Int = 400) -> StepFunctionsError {
    StepFunctionsError(.init(code), action: "Test", message: "refused", status: status)
  }
}
