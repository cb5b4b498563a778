import OperationFlow

extension FlowOperation {
  /// Writes a value into the flow's bucket; what a group's item writes becomes its output instead.
  ///
  /// After the operation has finished, nothing is written, and the record gets a warning.
  ///
  /// - Parameters:
  ///   - name: The name to write.
  ///   - value: The new value, of any type; two threads must not change one that isn't `Sendable` at the same time. An
  ///     empty optional removes the name.
  public func setData(name: String, value: Any) {
    write(assumedSendable(value), named: name, isSensitive: false)
  }

  /// Writes a value into the flow's bucket; what a group's item writes becomes its output instead.
  ///
  /// - Parameters:
  ///   - name: The name to write.
  ///   - value: The new value; an empty optional removes the name.
  @_disfavoredOverload
  public func setData(name: String, value: any Sendable) {
    write(value, named: name, isSensitive: false)
  }

  /// Adds a line to the flow's record; does nothing outside a flow or after the run's end.
  ///
  /// - Parameter message: The line; a summary shows it after the time and ``displayName``.
  public func log(message: String) {
    addLine(message, level: .info)
  }

  /// Adds a line to the flow's record; does nothing outside a flow or after the run's end.
  ///
  /// - Parameters:
  ///   - message: The line; a summary shows it after the time and ``displayName``.
  ///   - level: The importance of the line.
  @_disfavoredOverload
  public func log(message: String, level: FlowLogLevel = .info) {
    addLine(message, level: level)
  }
}
