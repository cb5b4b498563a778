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
    if let typed = value as? Value { return typed }
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
    let (own, bucket) = lifecycle.withLock { ($0.scope?.value(named: name), $0.attachment?.bucket) }
    // Spelled out: with `??` the compiler boxes the optional itself, and nothing is ever missing.
    if let own { return own }
    return bucket?.value(named: name)
  }

  final func isSensitive(_ name: String) -> Bool {
    let (isOwn, bucket) = lifecycle.withLock { ($0.scope?.isSensitive(name) ?? false, $0.attachment?.bucket) }
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
    let (attachment, hasEnded, recorder) = lifecycle.withLock { state in
      (state.attachment, state.phase == .settled, state.lateRecorder)
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
    let (isOwn, old) = lifecycle.withLock { state -> (Bool, (any Sendable)?) in
      if state.scope == nil, attachment != nil { return (false, nil) }
      var scope = state.scope ?? ItemScope()
      let old = scope.write(value, named: name)
      state.scope = scope
      return (true, old)
    }
    if isOwn {
      recordOwn(name, old: old, new: value, isSensitive: isSensitive, to: attachment?.recorder)
    } else {
      attachment?.bucket.write(value, named: name, isSensitive: isSensitive)
    }
  }

  private func recordOwn(
    _ name: String, old: (any Sendable)?, new: (any Sendable)?, isSensitive: Bool, to recorder: Recorder?
  ) {
    guard let recorder else { return }
    let isSensitive = isSensitive || self.isSensitive(name)
    let text = { (value: any Sendable) in isSensitive ? ValueText.redacted : ValueText.describe(value) }
    switch (old, new) {
    case (nil, let new?): recorder.record(.added(name: name, text: text(new)), source: source)
    case (let old?, let new?): recorder.record(.replaced(name: name, old: text(old), new: text(new)), source: source)
    case (let old?, nil): recorder.record(.removed(name: name, old: text(old)), source: source)
    case (nil, nil): break
    }
  }
}
