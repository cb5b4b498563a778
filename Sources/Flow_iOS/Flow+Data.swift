import OperationFlow

extension Flow {
  /// The values of the last run's data bucket; before the first run, the values for its start.
  ///
  /// Setting it replaces all values: those of the run while one is under way, otherwise those with which the next run
  /// begins. A change in place, as by `flow.dataBucket["n"] = 1`, preserves values that a run writes to other names
  /// meanwhile. Values may be of any type; two threads must not change one that isn't `Sendable` at the same time.
  public var dataBucket: [String: Any] {
    get { sendableData }
    set { sendableData = assumedSendable(newValue) }
    _modify {
      let old = sendableData
      var values: [String: Any] = old
      defer { changeData(old, to: assumedSendable(values)) }
      yield &values
    }
  }

  /// Applies changes that were made to a copy of the values; values that a run has written meanwhile are unchanged.
  private func changeData(_ old: [String: any Sendable], to new: [String: any Sendable]) {
    guard let run = state.withLock({ $0.run }), run.currentOutcome == nil else { return sendableData = new }
    for (name, value) in new {
      if let known = old[name], isUnchanged(known, value) { continue }
      run.bucket.replace(value, named: name)
    }
    for name in old.keys where new[name] == nil { run.bucket.replace(nil, named: name) }
  }

  /// Replaces the values that the data bucket starts with, or those of the run's bucket while the flow runs.
  ///
  /// - Parameter dataBucket: The values by their names, of any type; two threads must not change one that isn't
  ///   `Sendable` at the same time.
  /// - Returns: The flow.
  @discardableResult
  public func setDataBucket(dataBucket: [String: Any]) -> Flow {
    sendableData = assumedSendable(dataBucket)
    return self
  }

  /// Replaces the values that the data bucket starts with, or those of the run's bucket while the flow runs.
  ///
  /// - Parameter dataBucket: The values by their names.
  /// - Returns: The flow.
  @_disfavoredOverload @discardableResult
  public func setDataBucket(dataBucket: [String: any Sendable]) -> Flow {
    sendableData = dataBucket
    return self
  }

  /// Writes a value into the data bucket and records it; while the flow runs, into the run's bucket.
  ///
  /// - Parameters:
  ///   - name: The name to write.
  ///   - value: The new value, of any type; two threads must not change one that isn't `Sendable` at the same time. An
  ///     empty optional removes the name.
  /// - Returns: The flow.
  @discardableResult
  public func setData(name: String, value: Any) -> Flow {
    write(assumedSendable(value), named: name)
  }

  /// Writes a value into the data bucket, for code that needs a function without a result.
  ///
  /// - Parameters:
  ///   - name: The name to write.
  ///   - value: The new value, of any type.
  @_disfavoredOverload
  public func setData(name: String, value: Any) {
    _ = write(assumedSendable(value), named: name)
  }

  /// Writes a value into the data bucket and records it; while the flow runs, into the run's bucket.
  ///
  /// - Parameters:
  ///   - name: The name to write.
  ///   - value: The new value; an empty optional removes the name.
  /// - Returns: The flow.
  @_disfavoredOverload @discardableResult
  public func setData(name: String, value: any Sendable) -> Flow {
    write(value, named: name)
  }
}

/// Returns true if two values have the same type and the same bytes, as copies do; equal values may have different
/// bytes.
private func isUnchanged<Old: Sendable>(_ old: Old, _ new: any Sendable) -> Bool {
  guard type(of: new) == Old.self, let new = new as? Old else { return false }
  return withUnsafeBytes(of: old) { old in withUnsafeBytes(of: new) { old.elementsEqual($0) } }
}
