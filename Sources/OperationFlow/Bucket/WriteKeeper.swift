/// Hears of every write to a data bucket, such as to store it, and of reads that fail; hardly any bucket has one.
package protocol WriteKeeper: AnyObject, Sendable {
  /// Takes a write, under the bucket's lock; `value` is `nil` if the name was removed.
  func didWrite(_ value: (any Sendable)?, named name: String, by writer: FlowEvent.Source?)

  /// Takes the reason why a writer could not change a value, under the bucket's lock; false if the writer isn't at work.
  func didRefuse(_ error: FlowError, to writer: FlowEvent.Source?) -> Bool

  /// Returns whether a name has the value that an earlier process wrote; asked under the bucket's lock.
  func holdsRestored(_ name: String) -> Bool

  /// Hears that a value can't be read by one who can't do without it, outside all locks; `reader` is `nil` if unknown.
  func didMisread(_ misread: Misread, by reader: FlowEvent.Source?)
}

/// A value that someone has asked for and can't have: it is of another type, or was not stored.
package struct Misread: Sendable {
  package let name: String
  package let value: any Sendable
  /// The type that was asked for.
  package let type: Any.Type
  package let isSensitive: Bool
}

extension DataBucket {
  package func keepWrites(in keeper: any WriteKeeper) { state.withLock { $0.keeper = keeper } }

  /// Returns true if the values of a name are sensitive for a store: records may hide them by their names alone.
  package func isHidden(_ name: String) -> Bool {
    isSensitive(name) || recorder?.redaction.redacts(name) ?? false
  }

  /// The texts of sensitive values that were replaced.
  package var replacedSecrets: Set<String> { recorder?.replacedSecrets ?? [] }

  /// The names whose values an earlier process had, and no one knows any longer, and whether they are sensitive.
  package var unavailableNames: [String: Bool] {
    state.withLock { $0.entries }.compactMapValues { ($0.value as? UnavailableValue)?.isSensitive }
  }

  /// Throws if a name had a value before the run was resumed that isn't known any more: nothing can be decided by it.
  func refuseUnavailable(_ name: String) throws(FlowError) {
    guard let unavailable = value(named: name) as? UnavailableValue else { return }
    reportMisread(unavailable, named: name, as: Any.self)
    throw .unavailable(name, isSensitive: unavailable.isSensitive)
  }

  /// Reports to whoever keeps the run that one who requires a value can't have it; no lock may be held.
  ///
  /// A read of one who can do without it isn't reported: code may try one type after the other, or make a value anew.
  func reportMisread(
    _ value: (any Sendable)?, named name: String, as type: Any.Type, by reader: FlowEvent.Source? = nil
  ) {
    guard let value, let keeper = state.withLock({ $0.keeper }) else { return }
    keeper.didMisread(Misread(name: name, value: value, type: type, isSensitive: isHidden(name)), by: reader)
  }
}
