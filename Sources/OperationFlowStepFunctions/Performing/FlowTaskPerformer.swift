import Foundation
import OperationFlow

/// Performs single steps of a flow for another engine: accepts a task as JSON, and returns its result as JSON.
///
/// ```swift
/// let performer = FlowTaskPerformer(flow)
/// let output = try await performer.perform(input)
/// ```
/// It is the body of a worker of any engine: of an activity of AWS Step Functions, of another workflow engine, or of a
/// queue's consumer. It performs the flow as it was when the performer was created. The engine is responsible for
/// order, attempts, time limits and conditions, so a step's own traits for these have no effect here, except the
/// `when:` of `.retry`. To the flow's observers, each task is a run of one step. You can use it from any thread, for
/// any number of tasks at once.
public struct FlowTaskPerformer: TaskPerforming {
  private let runner: TaskRunner
  private let seals: SealedValues
  /// The names of the values that an engine's own states read, so they can't be replaced by references.
  package let inspectedNames: Set<String>

  /// Creates a performer of a flow's steps.
  ///
  /// - Parameters:
  ///   - flow: The flow. Steps that are added to it later have no effect.
  ///   - sealing: The encryption of sensitive values; needed if the flow was exported with `.sealed` for these.
  public init(_ flow: Flow, sealing: FlowSealing? = nil) {
    runner = TaskRunner(flow)
    seals = SealedValues(sealing: sealing)
    inspectedNames = runner.inspectedNames.union([DataPath.reserved])
  }

  /// Performs a task and returns its output as JSON.
  ///
  /// Cancelling the surrounding task cancels the operation or the closure.
  ///
  /// - Parameter input: The JSON of a ``FlowTask``.
  /// - Returns: The output for the task's mode.
  /// - Throws: ``FlowTaskFailure``. It is final for a missing or mistyped value, a task that isn't one of this flow, a
  ///   value that isn't `Codable`, or an error that the step's `.retry(when:)` refuses; any other may be retried.
  public func perform(_ input: Data) async throws(FlowTaskFailure) -> Data {
    try await perform(FlowTask(json: input))
  }

  /// Performs a task and returns its output as JSON.
  ///
  /// - Parameter task: The task.
  /// - Returns: The output for the task's mode.
  /// - Throws: ``FlowTaskFailure``, as ``perform(_:)-(Data)`` does.
  public func perform(_ task: FlowTask) async throws(FlowTaskFailure) -> Data {
    guard task.flow == runner.flowName else { throw .otherFlow(task, runner.flowName) }
    guard task.mode == .join || runner.hasStep(at: FlowPath(task.step)) else { throw .unknownStep(task) }
    guard let members = RawJSON.members(Array(task.bucket)) else {
      throw .notATask("its <bucket> is no JSON object")
    }
    var values = members
    values[DataPath.reserved] = nil
    values = try seals.opened(values.filter { !RawJSON.isNull($0.value) })
    switch task.mode {
    case .settle: return Data(try GroupSettling(runner).settled(task, members))
    case .join: return Data(try BranchJoining.joined(members))
    case .condition: return try condition(task, values)
    case .value, .bucket, .nothing: return try await step(task, members, values)
    case .item, .indexedItem: return try await item(task, values)
    case .undo, .undoItem: return try await undo(task, members, values)
    }
  }

  package func heartbeat(for input: Data) -> Duration? {
    (try? FlowTask(json: input))?.heartbeatSeconds.map { .seconds($0) }
  }

  package func inspectedParts(ofOutputFor input: Data) -> InspectedParts {
    guard let task = try? FlowTask(json: input) else { return .all }
    switch task.mode {
    case .value:
      return runner.outputs(of: FlowPath(task.step)).isDisjoint(with: inspectedNames) ? .members([]) : .all
    case .bucket, .settle, .join, .undo: return .members(inspectedNames)
    case .nothing, .condition: return .all
    case .item, .indexedItem, .undoItem: return .members([])
    }
  }

  private func condition(_ task: FlowTask, _ values: [String: [UInt8]]) throws(FlowTaskFailure) -> Data {
    do {
      return Data((try runner.meetsConditions(of: FlowPath(task.step), values) ? "true" : "false").utf8)
    } catch {
      throw FlowTaskFailure(error, task, mayBeRetried: true, secrets: runner.secrets(in: values))
    }
  }

  private func step(
    _ task: FlowTask, _ members: [String: [UInt8]], _ values: [String: [UInt8]]
  ) async throws(FlowTaskFailure) -> Data {
    let (_, writes) = try await perform(.step, task, values)
    if task.mode == .bucket { return Data(RawJSON.object(try changed(members, by: writes, task))) }
    // The answer can't contain keys that aren't declared.
    let outputs = runner.outputs(of: FlowPath(task.step))
    if let name = writes.keys.filter({ !outputs.contains($0) }).min() { throw .undeclaredWrite(name, task) }
    guard task.mode == .value else { return Data("null".utf8) }
    if let write = writes.first { return Data(write.value ?? Array("null".utf8)) }
    // The step wrote nothing, so its key retains its value.
    return Data(outputs.first.flatMap { members[$0] } ?? Array("null".utf8))
  }

  private func item(_ task: FlowTask, _ values: [String: [UInt8]]) async throws(FlowTaskFailure) -> Data {
    guard task.index != nil, task.item != nil else { throw .notATask("it has no <index> and <item>") }
    let (output, writes) = try await perform(.item, task, values)
    if let name = writes.keys.min() { throw .itemWrote(name, task) }
    let value = output ?? Array("null".utf8)
    guard task.mode == .indexedItem, let index = task.index else { return Data(value) }
    var result = ["index": Array(String(index).utf8)]
    // The group's outputs don't contain an item without an output.
    if output != nil { result["value"] = value }
    return Data(RawJSON.object(result))
  }

  private func undo(
    _ task: FlowTask, _ members: [String: [UInt8]], _ values: [String: [UInt8]]
  ) async throws(FlowTaskFailure) -> Data {
    let (_, writes) = try await perform(.undo, task, values)
    return task.mode == .undoItem ? Data("null".utf8) : Data(RawJSON.object(try changed(members, by: writes, task)))
  }

  private func perform(
    _ kind: RunTask.Kind, _ task: FlowTask, _ values: [String: [UInt8]]
  ) async throws(FlowTaskFailure) -> (output: [UInt8]?, writes: [String: [UInt8]?]) {
    var work = TaskRunner.Work(
      kind, of: FlowPath(task.step), run: task.run, attempt: task.knownAttempt, bucket: values)
    if let index = task.index, let item = task.item { work.item = (index, Array(item)) }
    work.output = task.output.map(Array.init)
    work.ending = task.error.map { ExecutionError(Array($0)).map { .failed($0) } ?? .succeeded }
    switch await runner.perform(work) {
    case .succeeded(let output, let writes, let sensitiveNames):
      if kind == .item, output != nil, task.sensitiveValues != .plain, let name = runner.group(at: work.step)?.output,
        sensitiveNames.contains(name)
      {
        throw .sensitiveWrite(name, task)
      }
      return (output, try protected(writes, sensitiveNames, task))
    case .failed(let error, let mayBeRetried, let secrets):
      throw FlowTaskFailure(error, task, mayBeRetried: mayBeRetried, secrets: secrets)
    case .cancelled:
      // Another attempt would cancel itself, too.
      throw Task.isCancelled ? .cancelled(task) : .cancelledItself(task)
    }
  }

  /// Returns the writes with the values of sensitive names in the form that the export prescribes.
  private func protected(
    _ writes: [String: [UInt8]?], _ sensitiveNames: Set<String>, _ task: FlowTask
  ) throws(FlowTaskFailure) -> [String: [UInt8]?] {
    guard task.sensitiveValues != .plain else { return writes }
    var protected = writes
    for (name, value) in writes where sensitiveNames.contains(name) {
      guard let value else { continue }
      guard task.sensitiveValues == .sealed else { throw .sensitiveWrite(name, task) }
      protected[name] = try seals.sealed(value, name)
    }
    return protected
  }

  /// Returns all values after some writes; a removed name stays as `null`, because a state may have a path to it.
  private func changed(
    _ members: [String: [UInt8]], by writes: [String: [UInt8]?], _ task: FlowTask
  ) throws(FlowTaskFailure) -> [String: [UInt8]] {
    if writes.keys.contains(DataPath.reserved) { throw .reservedWrite(task) }
    var members = members
    for (name, value) in writes {
      members[name] = value ?? members[name].map { _ in Array("null".utf8) }
    }
    return members
  }
}

/// The error that has ended an execution, for undos and for steps that always run.
struct ExecutionError: Error, CustomStringConvertible {
  let name: String
  let cause: String

  /// Reads the error; `nil` if there is none.
  init?(_ json: [UInt8]) {
    guard let members = RawJSON.members(json), let name = members["Error"].flatMap(RawJSON.text) else { return nil }
    self.name = name
    cause = members["Cause"].flatMap(RawJSON.text) ?? ""
  }

  var description: String { cause.isEmpty ? name : "\(name): \(cause)" }
}
