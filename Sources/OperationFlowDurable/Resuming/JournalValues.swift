import OperationFlow
import OperationFlowStorage

/// Restores the values that the entries of a journal have.
final class JournalValues: Sendable {
  private let engine: RunEngine
  private let journal: RunJournal
  /// What the run was given now, and what the flow has, for values that it began with and that aren't stored.
  private let given: [String: any Sendable]
  /// What this call has given it, which alone can stand for what a step had written.
  private let passed: [String: any Sendable]
  /// The number of the write that each name has its value from.
  private let numbers = Locked([String: Int]())

  init(_ engine: RunEngine, _ journal: RunJournal, given: [String: any Sendable], passed: [String: any Sendable]) {
    (self.engine, self.journal, self.given, self.passed) = (engine, journal, given, passed)
  }

  /// The highest number of a write that was restored.
  var lastNumber: Int { numbers.withLock { $0.values.max() ?? 0 } }

  /// What work has left besides its result.
  func left(by settlement: JournalSettlement) throws -> RunRestoration.Left {
    var left = RunRestoration.Left()
    let (parts, work) = (settlement.parts, settlement.work)
    left.name = parts.name
    left.output = try parts.output?.value(journal.sealing, whenUndecodable: leaving(outputName(of: work)))
    left.hidesOutput = parts.output?.isSealed == true
    let writes = parts.writes
    if !writes.isEmpty { left.write = { for write in writes { try self.restore(write, of: work) } } }
    return left
  }

  /// Writes what an entry has, unless a later write has been restored already.
  func restore(_ write: StoredWrite, of work: RunWork? = nil) throws {
    let isLate = numbers.withLock { numbers in
      if numbers[write.name, default: -1] > write.number { return true }
      numbers[write.name] = write.number
      return false
    }
    if isLate { return }
    let bucket = engine.bucket
    switch write.value {
    case .removed: bucket.replace(nil, named: write.name)
    case .stored(let bytes): bucket.replace(bytes.value(whenUndecodable: leaving(write.name)), named: write.name)
    case .sealed(let bytes):
      bucket.markSensitive([write.name])
      guard let sealing = journal.sealing else {
        if let value = known(write.name, work) { return restore(secret: value, named: write.name) }
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

  /// Leaves the run if a value of the journal can't be decoded as the type that its reader asks for.
  private func leaving(_ name: String) -> @Sendable (StoredJSON, Any.Type) -> Void {
    { [weak engine, weak journal] value, type in
      let isSensitive = engine?.bucket.isHidden(name) ?? true
      journal?.requestLeave(.mismatched(value, name: name, isSensitive: isSensitive, as: type))
    }
  }

  /// The name under which the output of work is collected.
  private func outputName(of work: RunWork) -> String {
    guard let step = work.step, case .group(let group) = engine.blueprint.steps[step].kind else { return "output" }
    return group.output?.name ?? "output"
  }

  /// Writes a sensitive value, which no error that is stored from now on may show.
  private func restore(secret value: any Sendable, named name: String) {
    journal.secrets.withLock { $0.insert(value: value) }
    engine.bucket.replace(value, named: name)
  }

  /// A value that isn't stored: the run was given it, or the flow that is a step brings it along.
  private func known(_ name: String, _ work: RunWork?) -> (any Sendable)? {
    guard let work else { return given[name] }
    return engine.value(named: name, broughtBy: work) ?? passed[name]
  }
}
