/// A receiver of every write to a data bucket, such as a journal, and of reads that fail; hardly any bucket has one.
package protocol WriteKeeper: AnyObject, Sendable {
  /// Accepts a write, under the bucket's lock; `value` is `nil` if the name was removed.
  func didWrite(_ value: (any Sendable)?, named name: String, by writer: FlowEvent.Source?)

  /// Accepts the reason why a writer can't change a value; returns false if the writer isn't at work. Called under the
  /// bucket's lock.
  func didRefuse(_ error: FlowError, to writer: FlowEvent.Source?) -> Bool

  /// Returns true if a name has the value that an earlier process wrote; called under the bucket's lock.
  func holdsRestored(_ name: String) -> Bool

  /// Accepts a failed read of a required value, outside all locks; `reader` is `nil` if it is unknown.
  func didMisread(_ misread: Misread, by reader: FlowEvent.Source?)
}

/// A value that was requested and can't be returned, because it has another type or wasn't stored.
package struct Misread: Sendable {
  package let name: String
  package let value: any Sendable
  /// The requested type.
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

  /// The names whose values an earlier process had, but didn't store, each with `true` if the name is sensitive.
  package var unavailableNames: [String: Bool] {
    state.withLock { $0.entries }.compactMapValues { ($0.value as? UnavailableValue)?.isSensitive }
  }

  /// Throws if an earlier process had a value under the name, but didn't store it: no decision can depend on it.
  func refuseUnavailable(_ name: String) throws(FlowError) {
    guard let unavailable = value(named: name) as? UnavailableValue else { return }
    reportMisread(unavailable, named: name, as: Any.self)
    throw .unavailable(name, isSensitive: unavailable.isSensitive)
  }

  /// Reports a failed read of a required value to the bucket's keeper; no lock may be held.
  ///
  /// Failed reads of optional values aren't reported: code may try one type after the other, or create the value again.
  func reportMisread(
    _ value: (any Sendable)?, named name: String, as type: Any.Type, by reader: FlowEvent.Source? = nil
  ) {
    guard let value, let keeper = state.withLock({ $0.keeper }) else { return }
    keeper.didMisread(Misread(name: name, value: value, type: type, isSensitive: isHidden(name)), by: reader)
  }
}
