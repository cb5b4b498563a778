import Foundation
import OperationFlow

/// One attempt of a task in an execution's history.
struct HistoryAttempt: Sendable {
  /// The members of a task's input that identify its work; an exported state machine writes them.
  struct Work: Decodable, Hashable, Sendable {
    /// The path of the step.
    let step: String
    /// The kind of work, such as `item`.
    let mode: String
    /// The index of the group's item.
    let index: Int?
  }

  let work: Work
  /// The number of the attempt, counted from 1.
  let number: Int
  /// The group's item, as a text or as JSON; `nil` outside groups.
  let item: String?
  /// The task's input as JSON.
  private let input: [UInt8]
  /// The event of the history with which a worker began; `nil` if none has.
  fileprivate(set) var start: StepFunctionsEvent?
  /// The event of the history with which the attempt ended; `nil` if it has not.
  fileprivate(set) var end: StepFunctionsEvent?

  fileprivate init?(scheduled event: StepFunctionsEvent) {
    struct Details: Decodable { let input: String }
    guard let input = try? JSONDecoder().decode(Details.self, from: event.details).input,
      let work = try? JSONDecoder().decode(Work.self, from: Data(input.utf8)),
      let members = (try? JSONSerialization.jsonObject(with: Data(input.utf8))) as? [String: Any],
      members["flow"] is String
    else { return nil }
    (self.work, self.input) = (work, Array(input.utf8))
    number = FlowTask.attempt(after: members["retryCount"] as? Int)
    item = RawJSON.knownMembers(Array(input.utf8))?["item"].map { RawJSON.text($0) ?? RawJSON.shown($0) }
  }

  /// The ending of the attempt; `nil` if it has not ended.
  var finish: FlowEvent.Finish? {
    end.map { $0.type == "ActivitySucceeded" ? .successfully : .withError(HistoryFailure($0).text) }
  }

  /// The failure that the attempt recorded in the data instead of failing, as a group with an undo does.
  var notedFailure: String? {
    func error(in data: [UInt8]?) -> [String: [UInt8]] {
      let own = data.flatMap(RawJSON.knownMembers)?[DataPath.reserved].flatMap(RawJSON.knownMembers)
      return own?["error"].flatMap(RawJSON.knownMembers) ?? [:]
    }
    guard work.mode == "settle", let output, error(in: RawJSON.knownMembers(input)?["bucket"]).isEmpty else {
      return nil
    }
    return error(in: output)["Cause"].flatMap(RawJSON.text).map { ValueText.cut($0) }
  }

  /// True if the answer was `false`, as that of a condition that isn't met.
  var answeredFalse: Bool { output.map { $0.elementsEqual("false".utf8) } ?? false }

  /// The values that the task was given.
  var bucket: [String: [UInt8]] {
    let members = RawJSON.knownMembers(input)?["bucket"].flatMap(RawJSON.knownMembers) ?? [:]
    return members.filter { $0.key != DataPath.reserved }
  }

  /// The answer; `nil` if the attempt has not succeeded.
  var output: [UInt8]? {
    struct Success: Decodable { let output: String? }
    guard let end, end.type == "ActivitySucceeded" else { return nil }
    return (try? JSONDecoder().decode(Success.self, from: end.details))?.output.map { Array($0.utf8) }
  }

  /// Returns the attempts in a history, in the order in which they were scheduled, without tasks of other programs.
  static func all(in history: [StepFunctionsEvent]) -> [HistoryAttempt] {
    var attempts: [HistoryAttempt] = []
    // The index of the attempt that each event belongs to. An event names the event that caused it.
    var places: [Int: Int] = [:]
    for event in history {
      switch event.type {
      case "ActivityScheduled":
        guard let attempt = HistoryAttempt(scheduled: event) else { continue }
        places[event.id] = attempts.count
        attempts.append(attempt)
      case "ActivityStarted":
        guard let place = places[event.previousID] else { continue }
        places[event.id] = place
        attempts[place].start = event
      case "ActivitySucceeded", "ActivityFailed", "ActivityTimedOut", "ActivityScheduleFailed":
        guard let place = places[event.previousID] else { continue }
        attempts[place].end = event
      default: continue
      }
    }
    return attempts
  }
}
