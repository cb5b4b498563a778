import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport

/// An activity in memory: tests add tasks, and workers receive and answer them.
final class ActivityService: StepFunctionsTransport {
  /// The answer to a task.
  enum Answer: Sendable, Hashable {
    case success(String)
    case failure(error: String, cause: String)
  }

  private struct Waiter {
    let id: Int
    let continuation: CheckedContinuation<String?, any Error>
  }

  private struct State: Sendable {
    var inputs: [String] = []
    var polls: [Waiter] = []
    var cancelledPolls: Set<Int> = []
    var nextID = 0
    var handedOut = 0
    var refusedPolls: [any Error] = []
    var refusedTokens: [String: (code: String, times: Int)] = [:]
    var unreachable: [String: (error: any Error, times: Int)] = [:]
    var answers: [String: [Answer]] = [:]
    var heartbeats: [String] = []
    var heartbeatTimeouts: [Duration] = []
    var workers: Set<String> = []
    var busiest = 0

    /// The number of open polls, and of tasks that were handed out and not answered.
    var busy: Int { polls.count + handedOut - answers.values.reduce(0) { $0 + $1.count } }

    mutating func takeBreak(of action: String) -> (any Error)? {
      guard let (error, times) = unreachable[action] else { return nil }
      unreachable[action] = times > 1 ? (error, times - 1) : nil
      return error
    }

    mutating func checkRefusal(of token: String) throws {
      guard let refusal = refusedTokens[token], refusal.times > 0 else { return }
      refusedTokens[token]?.times -= 1
      throw ScriptedTransport.refusal(refusal.code)
    }
  }

  private let state = Locked(State())
  /// Counts the answers that arrived, including those that were refused.
  let answered = Tally()
  /// Counts the heartbeats that arrived, including those that were refused.
  let beaten = Tally()
  /// Counts the polls that arrived.
  let polled = Tally()

  /// The answers to each task, by its token: `t1` is that of the first.
  var answers: [String: [Answer]] { state.withLock { $0.answers } }
  /// The tokens of the heartbeats, in order.
  var heartbeats: [String] { state.withLock { $0.heartbeats } }
  /// The timeout of each heartbeat.
  var heartbeatTimeouts: [Duration] { state.withLock { $0.heartbeatTimeouts } }
  /// The names of the workers that polled.
  var workers: Set<String> { state.withLock { $0.workers } }
  /// The largest number of open polls and unanswered tasks together.
  var busiest: Int { state.withLock { $0.busiest } }
  /// The number of open polls.
  var openPolls: Int { state.withLock { $0.polls.count } }

  /// Adds a task.
  func add(_ input: String) {
    let poll = state.withLock { state in
      if state.polls.isEmpty {
        state.inputs.append(input)
        return Waiter?.none
      }
      return state.polls.removeFirst()
    }
    if let poll { poll.continuation.resume(returning: handOut(input)) }
  }

  /// Refuses the next polls with these errors.
  func refusePolls(with errors: [any Error]) { state.withLock { $0.refusedPolls += errors } }

  /// Refuses messages about a task, a number of times.
  func refuse(_ token: String, with code: String, times: Int = .max) {
    state.withLock { $0.refusedTokens[token] = (code, times) }
  }

  /// Fails requests of this kind as if the connection broke, a number of times.
  func `break`(_ action: String, with error: (any Error)? = nil, times: Int = .max) {
    let error = error ?? StepFunctionsError(.connectionFailed, action: action, message: "broken")
    state.withLock { $0.unreachable[action] = (error, times) }
  }

  /// Accepts requests of this kind again.
  func mend(_ action: String) { state.withLock { $0.unreachable[action] = nil } }

  /// Fails the open polls.
  func failPolls(with error: any Error) {
    let polls = state.withLock { state in
      defer { state.polls = [] }
      return state.polls
    }
    for poll in polls { poll.continuation.resume(throwing: error) }
  }

  func send(_ request: StepFunctionsRequest) async throws -> Data {
    let members = try JSONDecoder().decode([String: String].self, from: request.body)
    if request.action == "SendTaskHeartbeat" { state.withLock { $0.heartbeatTimeouts.append(request.timeout) } }
    if let error = state.withLock({ $0.takeBreak(of: request.action) }) {
      defer { (request.action == "SendTaskHeartbeat" ? beaten : answered).add() }
      throw error
    }
    let token = members["taskToken"] ?? ""
    switch request.action {
    case "GetActivityTask":
      state.withLock { _ = $0.workers.insert(members["workerName"] ?? "") }
      return Data((try await poll() ?? "{}").utf8)
    case "SendTaskHeartbeat":
      defer { beaten.add() }
      try state.withLock { state in
        state.heartbeats.append(token)
        try state.checkRefusal(of: token)
      }
    case "SendTaskSuccess", "SendTaskFailure":
      defer { answered.add() }
      let answer =
        members["output"].map(Answer.success)
        ?? .failure(error: members["error"] ?? "", cause: members["cause"] ?? "")
      try state.withLock { state in
        try state.checkRefusal(of: token)
        state.answers[token, default: []].append(answer)
      }
    default: throw ScriptedTransport.refusal("UnknownOperationException")
    }
    return Data("{}".utf8)
  }

  private func poll() async throws -> String? {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLock { state -> Result<String, any Error>? in
          if state.cancelledPolls.contains(id) { return .failure(CancellationError()) }
          if !state.refusedPolls.isEmpty { return .failure(state.refusedPolls.removeFirst()) }
          if !state.inputs.isEmpty { return .success(state.inputs.removeFirst()) }
          state.polls.append(Waiter(id: id, continuation: continuation))
          state.busiest = max(state.busiest, state.busy)
          return nil
        }
        polled.add()
        if let result { continuation.resume(with: result.map { handOut($0) }) }
      }
    } onCancel: {
      let poll = state.withLock { state in
        state.cancelledPolls.insert(id)
        let poll = state.polls.first { $0.id == id }
        state.polls.removeAll { $0.id == id }
        return poll
      }
      poll?.continuation.resume(throwing: CancellationError())
    }
  }

  private func handOut(_ input: String) -> String {
    let number = state.withLock { state in
      state.handedOut += 1
      state.busiest = max(state.busiest, state.busy)
      return state.handedOut
    }
    let answer = ["taskToken": "t\(number)", "input": input]
    return (try? JSONEncoder().encode(answer)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
