import OperationFlow
import OperationFlowStorage

/// Restores the values in the entries of a journal.
final class JournalValues: Sendable {
  private let engine: RunEngine
  private let journal: RunJournal
  private let writes: JournalWrites
  /// The values of this call and of the flow, for values that the run began with and that aren't stored.
  private let given: [String: any Sendable]
  /// The values of this call, which alone can replace the unstored values of steps.
  private let passed: [String: any Sendable]
  /// The number of the write that set the value of each name.
  private let numbers = Locked([String: Int]())
  /// The error of each group whose outputs have another type than the stored ones.
  private let mismatches = Locked([Int: FlowError]())

  init(_ engine: RunEngine, _ keeper: JournalKeeper, given: [String: any Sendable], passed: [String: any Sendable]) {
    (self.engine, journal, writes, self.given, self.passed) = (engine, keeper.journal, keeper.writes, given, passed)
  }

  /// The highest number of a restored write.
  var lastNumber: Int { numbers.withLock { $0.values.max() ?? 0 } }

  /// Returns the values that work left besides its result.
  func left(by settlement: JournalSettlement) throws -> RunRestoration.Left {
    var left = RunRestoration.Left()
    let (parts, work) = (settlement.parts, settlement.work)
    left.name = parts.name
    if let output = parts.output {
      let group = group(of: work)
      let (name, type) = (group?.output?.name ?? "output", group?.outputType ?? Any.self)
      left.output = try output.value(journal.sealing, for: type, whenUndecodable: leaving(name))
      if let step = work.step, let found = left.output as? StoredJSON, found.known != nil {
        let error = found.mismatched(name, as: type, isSensitive: engine.bucket.isHidden(name)).leavingRun
        let source = FlowEvent.Source(engine.blueprint.steps[step].name, step: step)
        let located = error.located(flow: engine.flowName, step: source.description)
        mismatches.withLock { $0[step] = located }
      }
    }
    if left.output == nil, work.item != nil, group(of: work)?.outputType == Void.self { left.output = () }
    left.hidesOutput = parts.output?.isSealed == true
    let writes = parts.writes
    if !writes.isEmpty { left.write = { for write in writes { try self.restore(write, of: work) } } }
    return left
  }

  /// The error of a running group whose outputs would be of two types if it continued.
  var mismatch: FlowError? {
    let found = mismatches.withLock { $0 }.sorted { $0.key < $1.key }
    return found.first { engine.withGroup($0.key) { _ in true } ?? false }?.value
  }

  /// Writes a stored value to the bucket, unless a later write was restored already.
  func restore(_ write: StoredWrite, of work: RunWork? = nil) throws {
    let isLate = numbers.withLock { numbers in
      if numbers[write.name, default: -1] > write.number { return true }
      numbers[write.name] = write.number
      return false
    }
    if isLate { return }
    let bucket = engine.bucket
    writes.setRestored(write.name, write.value.isThere)
    switch write.value {
    case .removed: bucket.replace(nil, named: write.name)
    case .stored(let bytes): bucket.replace(bytes.value(whenUndecodable: leaving(write.name)), named: write.name)
    case .sealed(let bytes):
      bucket.markSensitive([write.name])
      guard let sealing = journal.sealing else {
        if let value = known(write.name, work) {
          writes.setRestored(write.name, false)
          return restore(secret: value, named: write.name)
        }
        throw FlowError.sealingIsMissing
      }
      restore(
        secret: try sealing.opened(bytes, of: write.name).value(whenUndecodable: leaving(write.name)), named: write.name
      )
    case .isSensitive:
      bucket.markSensitive([write.name])
      restore(secret: known(write.name, work) ?? UnavailableValue(isSensitive: true), named: write.name)
    case .isNotStored:
      bucket.replace(known(write.name, work) ?? UnavailableValue(isSensitive: false), named: write.name)
    }
  }

  /// Returns a closure that leaves the run if a stored value can't be decoded as the type that its reader asks for.
  private func leaving(_ name: String) -> @Sendable (StoredJSON, Any.Type) -> Void {
    { [weak engine, weak journal] value, type in
      journal?.requestLeave(value.mismatched(name, as: type, isSensitive: engine?.bucket.isHidden(name) ?? true))
    }
  }

  /// Returns the group that contains a piece of work; `nil` if it isn't part of a group.
  private func group(of work: RunWork) -> GroupStep? {
    guard let step = work.step, case .group(let group) = engine.blueprint.steps[step].kind else { return nil }
    return group
  }

  /// Writes a sensitive value to the bucket, and hides it in errors that are stored from now on.
  private func restore(secret value: any Sendable, named name: String) {
    journal.secrets.withLock { $0.insert(value: value) }
    engine.bucket.replace(value, named: name)
  }

  /// Returns a value that isn't stored, from this call, or from the flow or inner flow that starts with it.
  private func known(_ name: String, _ work: RunWork?) -> (any Sendable)? {
    guard let work else { return given[name] }
    return engine.value(named: name, broughtBy: work) ?? passed[name]
  }
}

extension StoredJSON {
  /// Returns the error of a reader that asks for another type than the stored one.
  fileprivate func mismatched(_ name: String, as type: Any.Type, isSensitive: Bool) -> FlowError {
    .mismatched(known ?? self, name: name, isSensitive: isSensitive, as: type, isStored: true)
  }
}
