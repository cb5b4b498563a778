import Foundation
import OperationFlow

/// The data bucket of an execution, restored from the inputs and outputs of its tasks.
///
/// It has no texts of sensitive values, and never opens sealed ones.
struct HistoryValues {
  /// The values of a name before and after a write; `nil` if there was none.
  struct Change: Equatable {
    let name: String
    let old: String?
    let new: String?
  }

  private let plan: FlowPlan
  private let steps: [String: FlowPlan.Step]
  private var bucket: [String: [UInt8]] = [:]
  /// The names that the bucket has ever contained.
  private var seen: Set<String> = []
  /// The secrets that no text of the record may contain.
  private(set) var secrets = TaskSecrets()

  init(_ plan: FlowPlan) {
    self.plan = plan
    steps = Dictionary((plan.steps + plan.always).flatMap(\.all).map { ($0.path.description, $0) }) { first, _ in first
    }
  }

  /// The values by name, as a record shows them.
  var items: [FlowEvent.Item] {
    bucket.sorted { $0.key < $1.key }.map { FlowEvent.Item(name: Self.shown($0.key), text: text($0.key, $0.value)) }
  }

  // MARK: Events

  /// Sets the values that an execution began with.
  mutating func begin(_ event: StepFunctionsEvent) {
    struct Details: Decodable { let input: String? }
    replaceAll((try? JSONDecoder().decode(Details.self, from: event.details))?.input)
  }

  /// Sets the values at the end of an execution, if it has succeeded.
  mutating func end(_ event: StepFunctionsEvent) {
    struct Details: Decodable { let output: String? }
    if event.type == "ExecutionSucceeded" {
      replaceAll((try? JSONDecoder().decode(Details.self, from: event.details))?.output)
    }
  }

  /// Sets the initial values of a nested flow that have no value yet.
  mutating func beginFlow(at path: FlowPath) -> [Change] {
    guard case .flow(_, let data)? = steps[path.description]?.kind else { return [] }
    return changes(data.filter { bucket[$0.key] == nil })
  }

  /// Adds the values in a task's input that are new.
  mutating func notice(_ attempt: HistoryAttempt) -> [Change] {
    changes(attempt.bucket.filter { !seen.contains($0.key) && !RawJSON.isNull($0.value) })
  }

  /// Adds the values in a map's output that are new: no task collects the outputs of a distributed map.
  mutating func noticeEnd(ofMap event: StepFunctionsEvent) -> [Change] {
    struct Details: Decodable { let output: String? }
    let output = (try? JSONDecoder().decode(Details.self, from: event.details))?.output
    let members = output.flatMap { RawJSON.members(Array($0.utf8)) } ?? [:]
    return changes(members.filter { !seen.contains($0.key) && !RawJSON.isNull($0.value) })
  }

  /// Applies the values that a task has written.
  mutating func write(_ attempt: HistoryAttempt) -> [Change] {
    guard let output = attempt.output else { return [] }
    switch attempt.work.mode {
    case "value":
      guard let name = steps[attempt.work.step]?.writes?.first?.name else { return [] }
      return changes([name: output])
    case "bucket", "undo", "settle":
      guard let after = RawJSON.members(output) else { return [] }
      let (before, null) = (attempt.bucket, Array("null".utf8))
      let names = Set(before.keys).union(after.keys)
      let written = names.filter { !BranchJoining.areEqual(after[$0] ?? null, before[$0] ?? null) }
      return changes(Dictionary(written.map { ($0, after[$0] ?? null) }) { $1 })
    default: return []
    }
  }

  /// Sets the array of a group's outputs.
  mutating func collect(_ array: [UInt8], at path: String) -> [Change] {
    guard case .group(let group)? = steps[path]?.kind, let name = group.output else { return [] }
    return changes([name: array])
  }

  // MARK: The bucket

  private mutating func replaceAll(_ json: String?) {
    guard let members = json.flatMap({ RawJSON.members(Array($0.utf8)) }) else { return }
    bucket = [:]
    _ = changes(members)
  }

  private mutating func changes(_ values: [String: [UInt8]]) -> [Change] {
    values.sorted { $0.key < $1.key }.compactMap { name, json in
      guard name != DataPath.reserved else { return nil }
      if plan.hides(name) { secrets.insert(json) }
      let old = bucket[name]
      let new = RawJSON.isNull(json) ? nil : json
      guard new != nil || old != nil else { return nil }
      if let new, BranchJoining.areEqual(new, old) { return nil }
      bucket[name] = new
      seen.insert(name)
      return Change(name: Self.shown(name), old: old.map { text(name, $0) }, new: new.map { text(name, $0) })
    }
  }

  // MARK: Texts

  private static func shown(_ name: String) -> String { ValueText.cut(name, limit: 200) }

  private func text(_ name: String, _ json: [UInt8]) -> String {
    if plan.hides(name) || SealedValues.isSealed(json) { return "<redacted>" }
    if let text = RawJSON.text(json) { return ValueText.cut(text) }
    // The elements of any array are shown in this way.
    if let elements = RawJSON.knownElements(json) {
      return ValueText.cut("[" + elements.map(RawJSON.shown).joined(separator: ", ") + "]")
    }
    return ValueText.cut(RawJSON.shown(json))
  }
}
