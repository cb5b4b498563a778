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
    let (own, isOwnSensitive, bucket) = lifecycle.withLock { state in
      (state.scope?.value(named: name), state.scope?.isSensitive(name) ?? false, state.attachment?.bucket)
    }
    // Spelled out: with `??` the compiler boxes the optional itself, and nothing is ever missing.
    let value: (any Sendable)? = if let own { own } else { bucket?.value(named: name) }
    if let typed = value as? Value { return typed }
    guard !isOptional else { return nil }
    do throws(FlowError) {
      let isSensitive = isSensitive || isOwnSensitive || (bucket?.isSensitive(name) ?? false)
      let typed: Value = try checked(value, name: name, isSensitive: isSensitive)
      return typed
    } catch {
      finish(.failed(error))
      return nil
    }
  }

  // MARK: Writing

  /// Writes a value into the flow's bucket; a group's item keeps what it writes to itself, as its output.
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
  /// - Parameters:
  ///   - name: The key to write.
  ///   - value: The new value; `nil` removes the name.
  public final func setData<Value>(name: FlowKey<Value>, value: Value?) {
    write(value, named: name.name, isSensitive: name.isSensitive)
  }

  /// Where a write goes: an item, or an operation outside flows, has values of its own; else the flow's bucket.
  private enum Destination { case bucket(DataBucket), own(old: (any Sendable)?, Recorder?), nowhere(Recorder?) }

  private func write(_ value: (any Sendable)?, named name: String, isSensitive: Bool) {
    let value = value.flatMap(unwrapped)
    let destination = lifecycle.withLock { state -> Destination in
      if state.source != nil, state.attachment == nil { return .nowhere(state.lateRecorder) }
      if state.scope == nil, let bucket = state.attachment?.bucket { return .bucket(bucket) }
      var scope = state.scope ?? ItemScope()
      let old = scope.write(value, named: name)
      state.scope = scope
      return .own(old: old, state.attachment?.recorder)
    }
    switch destination {
    case .bucket(let bucket): bucket.write(value, named: name, isSensitive: isSensitive)
    case .own(let old, let recorder): recordOwn(name, old: old, new: value, isSensitive: isSensitive, to: recorder)
    case .nowhere(let recorder):
      recorder?.record(.warned("<\(name)> was written after the finish: ignored"), source: source)
    }
  }

  private func recordOwn(
    _ name: String, old: (any Sendable)?, new: (any Sendable)?, isSensitive: Bool, to recorder: Recorder?
  ) {
    guard let recorder else { return }
    let bucketSaysSo = lifecycle.withLock { state in
      (state.scope?.isSensitive(name) ?? false) || (state.attachment?.bucket.isSensitive(name) ?? false)
    }
    let text = { (value: any Sendable) in
      isSensitive || bucketSaysSo ? ValueText.redacted : ValueText.describe(value)
    }
    switch (old, new) {
    case (nil, let new?): recorder.record(.added(name: name, text: text(new)), source: source)
    case (let old?, let new?): recorder.record(.replaced(name: name, old: text(old), new: text(new)), source: source)
    case (let old?, nil): recorder.record(.removed(name: name, old: text(old)), source: source)
    case (nil, nil): break
    }
  }

  // MARK: Logging

  /// Adds a line to the flow's record.
  ///
  /// - Parameter message: The line; a summary shows it behind the time and ``displayName``.
  public final func log(message: String) {
    let (recorder, source) = lifecycle.withLock { ($0.attachment?.recorder ?? $0.lateRecorder, $0.source) }
    guard let recorder, let source else { return }
    recorder.record(.logged(message), source: source)
  }

  /// What a group's item leaves as its output.
  final func takeOutput() -> (any Sendable)? {
    let name = primaryOutputParamKey
    return lifecycle.withLock { $0.scope?.output(named: name) }
  }
}
