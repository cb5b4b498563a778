import OperationFlow

extension Flow {
  /// The values of the last run's data bucket, or before the first run those that it begins with.
  ///
  /// Setting it replaces all values: while a run is under way those of the run, else those that the next begins with.
  /// Values may be of any type; one that is no `Sendable` must not be changed by two threads at once.
  public var dataBucket: [String: Any] {
    get { sendableData }
    set { sendableData = assumedSendable(newValue) }
  }

  /// Sets what the data bucket holds at first, in place of all before; while the flow runs, what that of the run holds.
  ///
  /// - Parameter dataBucket: The values by their names, of any type; one that is no `Sendable` must not be changed by two
  ///   threads at once.
  /// - Returns: The flow.
  @discardableResult
  public func setDataBucket(dataBucket: [String: Any]) -> Flow {
    sendableData = assumedSendable(dataBucket)
    return self
  }

  /// Sets what the data bucket holds at first, in place of all before; while the flow runs, what that of the run holds.
  ///
  /// - Parameter dataBucket: The values by their names.
  /// - Returns: The flow.
  @_disfavoredOverload @discardableResult
  public func setDataBucket(dataBucket: [String: any Sendable]) -> Flow {
    sendableData = dataBucket
    return self
  }

  /// Writes a value into the data bucket, and records it; while the flow runs, into that of the run.
  ///
  /// - Parameters:
  ///   - name: The name to write.
  ///   - value: The new value, of any type; one that is no `Sendable` must not be changed by two threads at once. An
  ///     optional that holds nothing removes the name.
  /// - Returns: The flow.
  @discardableResult
  public func setData(name: String, value: Any) -> Flow {
    setSendableData(name: name, value: assumedSendable(value))
    return self
  }

  /// Writes a value into the data bucket, where a function without a result is asked for.
  ///
  /// - Parameters:
  ///   - name: The name to write.
  ///   - value: The new value, of any type.
  @_disfavoredOverload
  public func setData(name: String, value: Any) {
    setSendableData(name: name, value: assumedSendable(value))
  }

  /// Writes a value into the data bucket, and records it; while the flow runs, into that of the run.
  ///
  /// - Parameters:
  ///   - name: The name to write.
  ///   - value: The new value; an optional that holds nothing removes the name.
  /// - Returns: The flow.
  @_disfavoredOverload @discardableResult
  public func setData(name: String, value: any Sendable) -> Flow {
    setSendableData(name: name, value: value)
    return self
  }
}
