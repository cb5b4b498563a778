import Foundation
import OperationFlow
import OperationFlowDurable

/// A run in the form that scripts read.
struct RunDescription: Codable, Sendable {
  struct Wait: Codable, Sendable {
    var step: String
    var signal: String?
    var until: String?
  }

  struct Step: Codable, Sendable {
    var path: String
    var state: String
    var attempt: Int
    var settledItems: Int
    var failedItems: Int
  }

  struct Message: Codable, Sendable {
    var signal: String
    var sent: String
  }

  var id: String
  var flow: String
  /// `unfinished`, `waiting`, `succeeded`, `failed`, `cancelled` or `unreadable`.
  var state: String
  /// The text of the error of a run that has failed, or that can't be read.
  var error: String?
  var waits: [Wait]?
  var began: String?
  var ended: String?
  var settledSteps: Int
  var settledItems: Int?
  var crashes: Int
  var bytes: Int
  var steps: [Step]?
  var values: [String: String]?
  var messages: [Message]?

  init(_ run: FlowStoredRun) {
    (id, flow, crashes, bytes) = (run.id, run.flowName, run.crashCount, run.byteCount)
    (settledSteps, settledItems) = (run.settledStepCount, run.settledItemCount)
    (began, ended) = (run.began?.ISO8601Format(), run.ended?.ISO8601Format())
    switch run.state {
    case .unfinished: state = "unfinished"
    case .waiting(let waits):
      state = "waiting"
      self.waits = waits.map { Wait(step: $0.step, signal: $0.signal, until: $0.until?.ISO8601Format()) }
    case .succeeded: state = "succeeded"
    case .failed(let text): (state, error) = ("failed", text)
    case .cancelled: state = "cancelled"
    case .unreadable(let problem): (state, error) = ("unreadable", problem.description)
    }
  }

  /// Adds the parts for which the whole journal is read.
  mutating func add(_ record: FlowStoredRecord) {
    steps = record.steps.map {
      Step(
        path: $0.path, state: $0.state.description, attempt: $0.attempt, settledItems: $0.settledItemCount,
        failedItems: $0.failedItemCount)
    }
    values = Dictionary(record.values.map { ($0.name, $0.text) }) { $1 }
    messages = record.messages.map { Message(signal: $0.signal, sent: $0.sent.ISO8601Format()) }
  }

  /// The state in a line of text.
  var stateText: String {
    switch state {
    case "waiting":
      "waiting for "
        + (waits ?? []).map { wait in
          (wait.signal.map { "the signal \($0)" } ?? "a time") + (wait.until.map { " until \($0)" } ?? "")
        }.joined(separator: ", ")
    case "failed", "unreadable": "\(state): \(error ?? "")"
    default: state
    }
  }

  static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}

/// The result of a check in the form that scripts read.
struct CheckDescription: Codable, Sendable {
  struct Problem: Codable, Sendable {
    var id: String
    var problem: String
    var remedy: String
  }

  var journals: Int
  var mailboxes: Int
  var problems: [Problem]

  init(_ check: StoreCheck) {
    (journals, mailboxes) = (check.runCount, check.mailboxCount)
    problems = check.problems.map { Problem(id: $0.id, problem: $0.error.problem, remedy: $0.error.remedy) }
  }
}
