import Foundation

/// A piece of a flow's work that an engine asks for: a step, an item, an undo, or a decision of the library.
///
/// The JSON of a task is the input that an exported state machine sends to its workers. For another engine, create a
/// task and send its ``json``.
public struct FlowTask: Sendable {
  /// The kind of work that a task asks for.
  public enum Mode: String, Sendable, Hashable {
    /// Performs the step, and answers with the value of the only key that the step writes.
    ///
    /// If the step writes none, the answer is the key's value in ``FlowTask/bucket``, or `null`.
    case value
    /// Performs the step, and answers with all values after it.
    case bucket
    /// Performs the step, and answers `null`.
    case nothing
    /// Performs one item of a group, and answers with its output, or `null`.
    case item
    /// Performs one item of a group, and answers with its index and its output.
    case indexedItem
    /// Answers `true` if the step's conditions are met, and otherwise `false`.
    case condition
    /// Collects the outputs of a group, and fails if more items have failed than it tolerates.
    case settle
    /// Merges the data of parallel branches.
    case join
    /// Undoes the step, and answers with all values after it.
    case undo
    /// Undoes one item of a group, and answers `null`; its writes are dropped.
    case undoItem
  }

  /// The flow's name.
  public var flow: String
  /// The path of the step.
  public var step: String
  /// The kind of work.
  public var mode: Mode
  /// The identifier of the run; the same for all of its tasks.
  public var run: String
  /// The number of the attempt, counted from 1.
  public var attempt: Int
  /// The index of the group's item, counted from 0; `nil` outside groups.
  public var index: Int?
  /// The group's item as JSON.
  public var item: Data?
  /// The output of an item that is to be undone, as JSON.
  public var output: Data?
  /// The values of the data bucket: a JSON object with a member for each key.
  public var bucket: Data
  /// The longest time between two heartbeats, in seconds; `nil` if the engine expects none.
  public var heartbeatSeconds: Int?
  /// The ending of the run so far, for undos and steps that always run; `nil` while the ending isn't decided.
  ///
  /// It is an object with the members `Error` and `Cause`. After a success, the object is empty.
  public var error: Data?
  /// The treatment of sensitive values.
  public var sensitiveValues = StateMachineOptions.SensitiveValues.refused

  /// Creates a task.
  ///
  /// - Parameters:
  ///   - mode: The kind of work.
  ///   - step: The path of the step, as in `FlowBlueprint.Step.path`.
  ///   - flow: The flow's name.
  ///   - run: The identifier of the run; the same for all of its tasks.
  ///   - attempt: The number of the attempt, counted from 1.
  ///   - bucket: The values of the data bucket: a JSON object with a member for each key.
  public init(_ mode: Mode, of step: String, in flow: String, run: String, attempt: Int = 1, bucket: Data) {
    (self.mode, self.step, self.flow, self.run) = (mode, step, flow, run)
    (self.attempt, self.bucket) = (attempt, bucket)
  }
}

extension FlowTask {
  /// Reads a task from the JSON that an engine sends.
  ///
  /// - Parameter json: The JSON.
  /// - Throws: ``FlowTaskFailure``, which another attempt can't change, if the JSON isn't a task.
  public init(json: Data) throws(FlowTaskFailure) {
    guard let members = RawJSON.members(Array(json)) else { throw .notATask("it is no JSON object") }
    func text(_ name: String) -> String? { members[name].flatMap(RawJSON.text) }
    func integer(_ name: String) -> Int? { members[name].flatMap(RawJSON.integer) }
    func data(_ name: String) -> Data? { members[name].map { Data($0) } }
    guard let flow = text("flow") else { throw .notATask("it has no <flow>") }
    guard let step = text("step") else { throw .notATask("it has no <step>") }
    guard let mode = text("mode").flatMap(Mode.init) else { throw .notATask("it has no known <mode>") }
    guard let run = text("run") else { throw .notATask("it has no <run>") }
    guard let bucket = members["bucket"], RawJSON.knownMembers(bucket) != nil else {
      throw .notATask("it has no <bucket> that is an object")
    }
    self.init(
      mode, of: step, in: flow, run: run, attempt: Self.attempt(after: integer("retryCount")), bucket: Data(bucket))
    (index, item, output) = (integer("index"), data("item"), data("output"))
    (heartbeatSeconds, error) = (integer("heartbeatSeconds"), data("error"))
    sensitiveValues = text("sensitive").flatMap(StateMachineOptions.SensitiveValues.init) ?? .refused
  }

  /// The number of attempts before this one; 0 if the number of the attempt is less than 1.
  private var retryCount: Int { max(1, attempt) - 1 }

  /// The number of the attempt that work gets, which is the same if the task was sent as JSON.
  var knownAttempt: Int { Self.attempt(after: retryCount) }

  /// Returns the number of an attempt after a number of retries, which is limited to 0 to 1,000,000.
  static func attempt(after retryCount: Int?) -> Int { 1 + min(max(retryCount ?? 0, 0), 1_000_000) }

  /// The task as JSON, the input of workers.
  public var json: Data {
    var members: [String: [UInt8]] = [
      "flow": RawJSON.quoted(flow), "step": RawJSON.quoted(step), "mode": RawJSON.quoted(mode.rawValue),
      "run": RawJSON.quoted(run), "retryCount": Array(String(retryCount).utf8), "bucket": Array(bucket),
    ]
    if let index { members["index"] = Array(String(index).utf8) }
    if let item { members["item"] = Array(item) }
    if let output { members["output"] = Array(output) }
    if let heartbeatSeconds { members["heartbeatSeconds"] = Array(String(heartbeatSeconds).utf8) }
    if let error { members["error"] = Array(error) }
    if sensitiveValues != .refused { members["sensitive"] = RawJSON.quoted(sensitiveValues.rawValue) }
    return Data(RawJSON.object(members))
  }
}

extension FlowTaskFailure {
  /// Returns the failure of a task with an invalid input.
  static func notATask(_ problem: String) -> FlowTaskFailure {
    FlowTaskFailure(
      cause: "the input isn't a task of OperationFlow: \(problem). Send what an exported state machine sends, or "
        + "FlowTask.json, to an activity that no other program uses.", mayBeRetried: false)
  }
}
