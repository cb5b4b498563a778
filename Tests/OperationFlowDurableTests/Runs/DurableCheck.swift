import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable
@testable import OperationFlowStorage

/// Runs a flow, and resumes copies of the run that were cut after each of its entries.
///
/// All have to end alike, and none may repeat work that had settled.
struct DurableCheck {
  /// Makes the flow, whose steps append their keys, with the number of the attempt, when they run.
  let make: (Journal<String>) -> Flow
  var data: [String: any Sendable] = [:]
  var sealing: FlowSealing?
  var ordered = true

  static func note(_ context: FlowContext, _ ran: Journal<String>) {
    ran.append("\(context.idempotencyKey)@\(context.attempt)")
  }

  func check(_ comment: Comment? = nil, location: SourceLocation = #_sourceLocation) async throws {
    let (store, ran) = (MemoryFlowStore(), Journal<String>())
    let flow = make(ran)
    let outcome = await flow.run(id: "r", in: store, with: data, durability: .operatingSystem, sealing: sealing)
    let entries = (store.journals["r"] ?? []).withoutBegins
    try #require(entries.count > 1, comment, sourceLocation: location)
    let paths = flow.makeLaunch().facts.paths
    for count in 0...entries.count {
      for isFolded in [false, true] {
        let cut = Array(entries.prefix(count))
        let start = isFolded ? try JournalCompaction.folded(cut, as: flow) : cut
        let (copy, again) = (MemoryFlowStore(["r": start]), Journal<String>())
        let resumed = await make(again).run(
          id: "r", in: copy, with: data, durability: .operatingSystem, sealing: sealing)
        let place: Comment =
          "\(comment?.rawValue ?? "") after \(count) of \(entries.count)\(isFolded ? ", folded" : "")"
        #expect(Self.text(of: resumed, ordered) == Self.text(of: outcome, ordered), place, sourceLocation: location)
        let settled = try Self.settledKeys(cut, paths)
        let repeated = again.entries.filter { settled.contains($0) }
        #expect(repeated == [], place, sourceLocation: location)
        let unknown = again.entries.filter { !ran.entries.contains($0) }
        #expect(unknown == [], place, sourceLocation: location)
        if count == entries.count { #expect(again.entries == [], place, sourceLocation: location) }
      }
    }
  }

  /// Returns the parts that have to be equal: the end, the data and the failures.
  static func text(of outcome: FlowOutcome, _ ordered: Bool = true) -> [String] {
    let end =
      switch outcome {
      case .succeeded: "succeeded"
      case .failed(let error, _): "failed: \(error)"
      case .cancelled: "cancelled"
      }
    let report = outcome.report
    let data = report.data.map { "\($0): \(bytes(of: $1))" }.sorted()
    let failures = report.itemFailures.map { "\($0.name) \($0.index) \($0.attempt): \($0.error)" }
    // Items are undone in the order in which they ended.
    let undos = ordered ? report.undos.map { "\($0)" } : report.undos.map { "\($0)" }.sorted()
    let recoveries = ordered ? report.recoveries.map { "\($0)" } : report.recoveries.map { "\($0)" }.sorted()
    return [end] + data + (ordered ? failures : failures.sorted()) + recoveries + undos
      + report.alwaysFailures.map { "\($0)" } + [report.failure.map { "\($0)" } ?? "", "\(report.stepCount) steps"]
  }

  private static func bytes(of value: any Sendable) -> String {
    guard let bytes = try? StoredBytes(value) else { return "not stored" }
    return String(decoding: bytes.json, as: UTF8.self)
  }

  /// Returns the idempotency keys of the attempts, recoveries and undos that have settled, with their numbers.
  static func settledKeys(_ entries: [Data], _ paths: PathTable, of id: String = "r") throws -> Set<String> {
    var keys: Set<String> = []
    for entry in entries {
      guard case .settled(let settlement) = try JournalEntry(entry), let ending = settlement.work.keyEnding,
        let step = settlement.work.step, let path = paths.path(of: step)
      else { continue }
      let item = settlement.work.item.map { "#\($0)" } ?? ""
      keys.insert("\(id)/\(path)\(item)\(ending)@\(settlement.attempt)")
    }
    return keys
  }
}

extension RunWork {
  /// The end of the idempotency key of an attempt, a recovery or an undo; `nil` for other work.
  fileprivate var keyEnding: String? {
    switch kind {
    case .step, .item: ""
    case .recover: "/recovery"
    case .undo: "/undo"
    default: nil
    }
  }
}

extension JournalCompaction {
  /// Folds entries as the journal of a flow's run does.
  static func folded(_ entries: [Data], as flow: Flow) throws -> [Data] {
    let launch = flow.makeLaunch()
    return try folded(
      entries, ratePeriod: { launch.ratePeriod(of: $0) }, keepsOrder: { launch.keepsItemOrder(of: $0) })
  }
}
