import Foundation

extension FlowOperation {
  // MARK: Reading

  /// Reads a value; where it is missing or of another type, the operation fails and the result is `nil`.
  ///
  /// - Parameters:
  ///   - name: The name to read. A group's item reads what it was given, then the flow's bucket.
  ///   - isOptional: Whether a missing or mistyped value is fine: the result is then `nil`, and nothing fails.
  /// - Returns: The value as the type that the context asks for.
  public final func getData<Value>(name: String, isOptional: Bool = false) -> Value? {
    read(name, isOptional: isOptional, isSensitive: false)
  }

  /// Reads a value of the key's type; where it is missing or of another type, the operation fails.
  ///
  /// - Parameters:
  ///   - name: The key to read. A group's item reads what it was given, then the flow's bucket.
  ///   - isOptional: Whether a missing or mistyped value is fine: the result is then `nil`, and nothing fails.
  /// - Returns: The value.
  public final func getData<Value>(name: FlowKey<Value>, isOptional: Bool = false) -> Value? {
    read(name.name, isOptional: isOptional, isSensitive: name.isSensitive)
  }

  private func read<Value>(_ name: String, isOptional: Bool, isSensitive: Bool) -> Value? {
    let value = stored(name)
    // Unwrapped first: to `Any` even a missing value can be cast.
    if let value, let typed = value as? Value { return typed }
    guard !isOptional else { return nil }
    do throws(FlowError) {
      let typed: Value = try checked(value, name: name, isSensitive: isSensitive || self.isSensitive(name))
      return typed
    } catch {
      finish(.failed(error))
      return nil
    }
  }

  /// The value as the operation sees it: its own, or else the flow's.
  final func stored(_ name: String) -> (any Sendable)? {
    let (own, bucket) = withLifecycle { ($0.scope?.value(named: name), $0.attachment?.host.bucket) }
    // Spelled out: with `??` the compiler boxes the optional itself, and nothing is ever missing.
    if let own { return own }
    return bucket?.value(named: name)
  }

  final func isSensitive(_ name: String) -> Bool {
    let (isOwn, bucket) = withLifecycle { ($0.scope?.isSensitive(name) ?? false, $0.attachment?.host.bucket) }
    return isOwn || (bucket?.isSensitive(name) ?? false)
  }

  // MARK: Writing

  /// Writes a value into the flow's bucket; a group's item keeps what it writes to itself, as its output.
  ///
  /// Once the operation has ended, nothing is written any more; the record then has a warning.
  ///
  /// - Parameters:
  ///   - name: The name to write.
  ///   - value: The new value; an optional that holds nothing removes the name.
  @preconcurrency
  public final func setData(name: String, value: any Sendable) {
    write(value, named: name, isSensitive: false)
  }

  /// Writes a value of the key's type into the flow's bucket; a group's item keeps it to itself, as its output.
  ///
  /// Once the operation has ended, nothing is written any more; the record then has a warning.
  ///
  /// - Parameters:
  ///   - name: The key to write.
  ///   - value: The new value; `nil` removes the name.
  public final func setData<Value>(name: FlowKey<Value>, value: Value?) {
    write(value, named: name.name, isSensitive: name.isSensitive)
  }

  private func write(_ value: (any Sendable)?, named name: String, isSensitive: Bool) {
    let (attachment, hasEnded, recorder) = withLifecycle { state in
      (state.attachment, state.phase == .settled, state.recorder)
    }
    if hasEnded {
      recorder?.record(.warned("<\(name)> was written after the finish: ignored"), source: source)
    } else {
      write(value.flatMap(unwrapped), named: name, isSensitive: isSensitive, attachment: attachment)
    }
  }

  /// An item, or an operation outside flows, has values of its own; any other writes into the flow's bucket.
  final func write(
    _ value: (any Sendable)?, named name: String, isSensitive: Bool, attachment: OperationAttachment?
  ) {
    let (scope, isOwn) = withLifecycle { ($0.scope, $0.scope != nil || attachment == nil) }
    guard isOwn else {
      attachment?.host.bucket.write(value, named: name, isSensitive: isSensitive)
      return
    }
    // Values describe themselves in code of their own, which must not run under the lock.
    let isHidden = isSensitive || self.isSensitive(name)
    let text = isHidden ? ValueText.redacted : value.map { ValueText.describe($0) } ?? ""
    let inputText = isHidden ? ValueText.redacted : scope?.input(displacedBy: name).map { ValueText.describe($0) } ?? ""
    _ = withLifecycle { state -> ItemScope.Written in
      var scope = state.scope ?? ItemScope()
      state.scope = nil
      let written = scope.write(value, text: text, named: name, isSensitive: isHidden, inputText: inputText)
      state.scope = scope
      // Under the lock, so that the record's order is that of the writes.
      if let event = written.event, let attachment {
        attachment.host.recorder.append(event, source: attachment.source)
      }
      return written
    }
    attachment?.host.recorder.deliver()
  }
}
