/// Hears of every write to a data bucket, such as to store it; hardly any bucket has one.
package protocol WriteKeeper: AnyObject, Sendable {
  /// Takes a write, under the bucket's lock; `value` is `nil` if the name was removed.
  func didWrite(_ value: (any Sendable)?, named name: String, by writer: FlowEvent.Source?)

  /// Takes the reason why a writer could not change a value, under the bucket's lock; false if the writer isn't at work.
  func didRefuse(_ error: FlowError, to writer: FlowEvent.Source?) -> Bool
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
    throw .unavailable(name, isSensitive: unavailable.isSensitive)
  }
}
