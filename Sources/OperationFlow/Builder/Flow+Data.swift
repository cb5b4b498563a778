extension Flow {
  /// Replaces the values that the data bucket starts with, or those of the run's bucket while the flow runs.
  ///
  /// - Parameter dataBucket: The values by their names.
  /// - Returns: The flow.
  @preconcurrency @discardableResult
  public func setDataBucket(dataBucket: [String: any Sendable]) -> Flow {
    for bucket in buckets { bucket.replaceAll(dataBucket) }
    return self
  }

  /// Sets one value that the data bucket starts with; nothing is recorded before the run.
  ///
  /// - Parameters:
  ///   - key: The key to set.
  ///   - value: The value; `nil` removes the name.
  /// - Returns: The flow.
  @discardableResult
  public func set<Value>(_ key: FlowKey<Value>, to value: Value?) -> Flow {
    if key.isSensitive { initialData.markSensitive([key.name]) }
    initialData.replace(value, named: key.name)
    return self
  }

  /// Writes a value into the data bucket and records it; while the flow runs, into the run's bucket.
  ///
  /// - Parameters:
  ///   - name: The name to write.
  ///   - value: The new value; an empty optional removes the name.
  /// - Returns: The flow.
  @preconcurrency @discardableResult
  public func setData(name: String, value: any Sendable) -> Flow { write(value, named: name) }

  /// Writes a value of the key's type into the data bucket and records it; while the flow runs, into the run's bucket.
  ///
  /// - Parameters:
  ///   - name: The key to write.
  ///   - value: The new value; `nil` removes the name.
  /// - Returns: The flow.
  @discardableResult
  public func setData<Value>(name: FlowKey<Value>, value: Value?) -> Flow {
    write(value, named: name.name, isSensitive: name.isSensitive)
  }

  package func write(_ value: (any Sendable)?, named name: String, isSensitive: Bool = false) -> Flow {
    for bucket in buckets { bucket.write(value, named: name, isSensitive: isSensitive) }
    return self
  }

  /// Marks keys as sensitive: their values are shown as `<redacted>` in every text.
  ///
  /// - Parameter keys: The keys.
  /// - Returns: The flow.
  @discardableResult
  public func markSensitive<Value>(_ keys: FlowKey<Value>...) -> Flow {
    markSensitive(Set(keys.map(\.name)))
  }

  /// Marks names as sensitive: their values are shown as `<redacted>` in every text.
  ///
  /// - Parameter names: The names.
  /// - Returns: The flow.
  @discardableResult
  public func markSensitive(_ names: String...) -> Flow {
    markSensitive(Set(names))
  }

  private func markSensitive(_ names: Set<String>) -> Flow {
    initialData.markSensitive(names)
    run?.bucket.markSensitive(names)
    return self
  }

  /// The data of a run's bucket at its start, if the run is given nothing else.
  package var startingData: FlowData { knownInitialData?.content ?? FlowData() }
}
