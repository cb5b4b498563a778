import Foundation
import OperationFlow
import OperationFlowStorage

/// An error without its sensitive texts, and the original error encrypted beside it.
struct HiddenError: Error {
  /// The original error in the format of an entry, encrypted.
  let sealed: [UInt8]
  /// The error without its sensitive texts.
  let shown: any Error

  /// Returns the original error; without a sealing, the error that can be shown.
  fileprivate func opened(_ sealing: FlowSealing?) throws -> any Error {
    guard let sealing else { return shown }
    var reader = JournalReader(Data(try sealing.opened(sealed).json))
    return try reader.error()
  }
}

extension FlowSealing {
  fileprivate func sealed(_ error: any Error) throws -> [UInt8] {
    var writer = JournalWriter()
    writer.error(error)
    return try sealed(StoredBytes(kind: 0, json: writer.bytes))
  }
}

extension RunJournal {
  /// Returns the error to store: without sensitive texts, and with the original encrypted if there is a sealing.
  func storedError(_ error: any Error, _ bucket: DataBucket, _ writes: JournalWrites) -> any Error {
    // Secrets are the values stored earlier, and the current ones, which include those of work that hasn't settled.
    let replaced = bucket.replacedSecrets
    let (earlier, names) = hidden.withLock { hidden in
      hidden.names.formUnion(writes.takeNames().filter(bucket.isHidden))
      let earlier = secrets.withLock { secrets in
        if replaced.count > hidden.replacedCount { for text in replaced { secrets.insert(whole: text) } }
        return secrets
      }
      hidden.replacedCount = max(hidden.replacedCount, replaced.count)
      return (earlier, hidden.names.union(bucket.sensitiveNames))
    }
    var current = SecretTexts()
    for name in names {
      if let value = bucket.value(named: name), !(value is UnavailableValue) { current.insert(value: value) }
    }
    let isHidden = { (name: String) in bucket.isHidden(name) }
    let shown = error.scrubbed(isHidden) { earlier.scrubbing(current.scrubbing($0)) }
    guard let shown else { return error }
    guard let sealed = try? sealing?.sealed(error) else { return shown }
    return HiddenError(sealed: sealed, shown: shown)
  }
}

extension Error {
  /// The error's text in an entry, without the encrypted original.
  var shownText: String { ValueText.describe(error: (self as? HiddenError)?.shown ?? self) }

  /// Returns the error without sensitive texts; `nil` if it contains none.
  fileprivate func scrubbed(_ isHidden: (String) -> Bool, _ scrub: (String) -> String) -> (any Error)? {
    if let error = self as? FlowError {
      let shown = error.hiding(isHidden, scrubbing: scrub)
      return shown.description == error.description && shown.key == error.key ? nil : shown
    }
    let stored = self as? FlowStoredError
    let text = stored?.description ?? ValueText.describe(error: self)
    let shown = scrub(text)
    if shown == text { return nil }
    return FlowStoredError(description: shown, type: stored?.type ?? TypeName.of(Swift.type(of: self)))
  }
}

// MARK: Entries

extension JournalEntry {
  /// Returns a copy in which each error is replaced by the result of `map`.
  func mappingErrors(_ map: (any Error) throws -> any Error) rethrows -> JournalEntry {
    switch self {
    case .settled(var settlement):
      guard case .failed(let error, let delay) = settlement.result else { return self }
      settlement.result = .failed(try map(error), retriedAfter: delay)
      return .settled(settlement)
    case .decided(var decision):
      decision.error = try decision.error.map(map)
      return .decided(decision)
    case .ended(let ending): return .ended(try ending.mappingErrors(map))
    case .begun, .runs, .waits, .rests, .begins, .left: return self
    }
  }

  /// Returns a copy with the original errors; without a sealing, with the errors that can be shown.
  func opened(_ sealing: FlowSealing?) throws -> JournalEntry {
    try mappingErrors { try ($0 as? HiddenError)?.opened(sealing) ?? $0 }
  }
}

extension JournalEnding {
  fileprivate func mappingErrors(_ map: (any Error) throws -> any Error) rethrows -> JournalEnding {
    var ending = self
    if case .failed(let error) = way { ending.way = .failed(try map(error)) }
    for index in itemFailures.indices { ending.itemFailures[index].error = try map(itemFailures[index].error) }
    for notes in [\JournalEnding.recoveries, \.undos, \.alwaysFailures] {
      ending[keyPath: notes] = try self[keyPath: notes].map { Note(place: $0.place, error: try $0.error.map(map)) }
    }
    return ending
  }

  /// Returns a copy with the original errors; without a sealing, with the errors that can be shown.
  func opened(_ sealing: FlowSealing?) throws -> JournalEnding {
    try mappingErrors { try ($0 as? HiddenError)?.opened(sealing) ?? $0 }
  }
}
