import Foundation

extension FlowOperation {
  // MARK: Reading

  /// Reads a value; if it is missing or has another type, the operation fails and the result is `nil`.
  ///
  /// - Parameters:
  ///   - name: The name to read. A group's item reads its own values first, then the flow's bucket.
  ///   - isOptional: `true` if the value may be missing or have another type; the result is then `nil` without a
  ///     failure.
  /// - Returns: The value as the type that the calling code expects.
  @inlinable
  public final func getData<Value>(name: String, isOptional: Bool = false) -> Value? {
    // Unwrapped first, because even a missing value can be cast to `Any`.
    if let value = stored(name), let typed = unboxed(value, as: Value.self) ?? (value as? Value) { return typed }
    return read(name, isOptional: isOptional)
  }

  /// Reads a value of the key's type; if it is missing or has another type, the operation fails.
  ///
  /// - Parameters:
  ///   - name: The key to read. A group's item reads its own values first, then the flow's bucket.
  ///   - isOptional: `true` if the value may be missing or have another type; the result is then `nil` without a
  ///     failure.
  /// - Returns: The value.
  @inlinable
  public final func getData<Value>(name: FlowKey<Value>, isOptional: Bool = false) -> Value? {
    if name.isSensitive { markSensitive(name.name) }
    return getData(name: name.name, isOptional: isOptional)
  }

  /// Returns the value under `key` as the key's type, or throws an error.
  ///
  /// - Parameter key: The key to read. A group's item reads its own values first, then the flow's bucket.
  /// - Returns: The value.
  /// - Throws: ``FlowError`` with the code `missingData` or `mismatchedData`; uncaught, it fails the operation.
  public final func require<Value>(_ key: FlowKey<Value>) throws(FlowError) -> Value {
    if key.isSensitive { markSensitive(key.name) }
    return try required(key.name)
  }

  private final func required<Value>(_ name: String) throws(FlowError) -> Value {
    let value = stored(name)
    do throws(FlowError) { return try checked(value, name: name, isSensitive: isSensitive(name)) } catch {
      reportMisread(value, named: name, as: Value.self)
      throw error
    }
  }

  /// Reports a required value that is missing or has another type, unless it is one of the operation's own.
  final func reportMisread(_ value: (any Sendable)?, named name: String, as type: Any.Type) {
    let (isOwn, bucket, source) = withLifecycle { state in
      (state.scope?.value(named: name) != nil, state.bucket, state.context?.source)
    }
    if !isOwn { bucket?.reportMisread(value, named: name, as: type, by: source) }
  }

  /// Marks a name that was used with a sensitive key as sensitive for the whole run.
  @usableFromInline
  final func markSensitive(_ name: String) {
    let bucket = withLifecycle { state in
      state.scope?.markSensitive(name)
      return state.bucket
    }
    bucket?.markSensitive([name])
  }

  /// Reads a value that may be stored by an earlier process of the run; fails the operation if it needs the value.
  @usableFromInline
  final func read<Value>(_ name: String, isOptional: Bool) -> Value? {
    if isOptional { return stored(name).flatMap { restored($0, as: Value.self) } }
    do throws(FlowError) { return try required(name) as Value } catch {
      finish(.failed(error))
      return nil
    }
  }

  /// Returns the operation's own value if there is one, otherwise the flow's.
  @usableFromInline
  final func stored(_ name: String) -> (any Sendable)? {
    let (own, bucket) = withLifecycle { ($0.scope?.value(named: name), $0.bucket) }
    // Not written with `??`, with which the compiler boxes the optional itself, so that nothing is ever missing.
    if let own { return own }
    return bucket?.value(named: name)
  }

  final func isSensitive(_ name: String) -> Bool {
    let (isOwn, bucket) = withLifecycle { ($0.scope?.isSensitive(name) ?? false, $0.bucket) }
    return isOwn || (bucket?.isSensitive(name) ?? false)
  }

  // MARK: Writing

  /// Writes a value to the flow's bucket; what a group's item writes becomes its output instead.
  ///
  /// After the operation has been finished, nothing is written, and the record gets a warning.
  ///
  /// - Parameters:
  ///   - name: The name to write.
  ///   - value: The new value; an empty optional removes the name.
  @preconcurrency
  public final func setData(name: String, value: any Sendable) {
    write(value, named: name, isSensitive: false)
  }

  /// Writes a value of the key's type to the flow's bucket; what a group's item writes becomes its output instead.
  ///
  /// After the operation has been finished, nothing is written, and the record gets a warning.
  ///
  /// - Parameters:
  ///   - name: The key to write.
  ///   - value: The new value; `nil` removes the name.
  @inlinable
  public final func setData<Value>(name: FlowKey<Value>, value: Value?) {
    write(value, named: name.name, isSensitive: name.isSensitive)
  }

  /// Removes a name from the flow's bucket; a group's item removes it from its own values.
  ///
  /// - Parameter name: The name to remove.
  public final func removeData(name: String) {
    write(nil, named: name, isSensitive: false)
  }

  /// Removes a key's name from the flow's bucket; a group's item removes it from its own values.
  ///
  /// - Parameter name: The key to remove.
  public final func removeData<Value>(name: FlowKey<Value>) {
    write(nil, named: name.name, isSensitive: name.isSensitive)
  }

  @usableFromInline
  package final func write(_ value: (any Sendable)?, named name: String, isSensitive: Bool) {
    // A write is ignored as soon as the result is decided: it is chance if `mainLogic()` has returned by then.
    let (context, isDecided) = withLifecycle { state in
      if state.settlement == nil { state.recordWrite(name) }
      return (state.context, state.settlement != nil)
    }
    if isDecided { return record(.warned("<\(name)> was written after the finish: ignored")) }
    write(value.flatMap(unwrapped), named: name, isSensitive: isSensitive, context: context)
  }

  /// Writes to the operation's own values if it is an item or outside a flow, otherwise to the flow's bucket.
  ///
  /// The value isn't an optional, unless it is an output.
  final func write(_ value: (any Sendable)?, named name: String, isSensitive: Bool, context: FlowContext?) {
    if let context, withLifecycle({ $0.scope == nil }) {
      return context.host.bucket.write(value, named: name, isSensitive: isSensitive, by: context.source)
    }
    let recorder = context?.host.recorder
    if isSensitive { context?.host.bucket.markSensitive([name]) }
    let isHidden = isSensitive || self.isSensitive(name)
    let isShown = !isHidden && recorder?.wantsTexts ?? false
    // Descriptions of values are users' code, which must not run under the lock.
    let new = value.map { RecordedValue(value: $0, text: isShown ? .made(ValueText.describe($0)) : nil) }
    // The value of an item is in no bucket, so its secrets have to be registered here.
    if let new, let recorder, isHidden || !new.isShort && recorder.redaction.redacts(ValueText.name(name)) {
      recorder.hide(value: new.value)
    }
    let now = recorder?.now
    // The old value is returned, so that it is freed outside the lock.
    let (_, event) = withLifecycle { state -> (RecordedValue?, RecordedKind?) in
      let old = state.scope.orNew(ItemScope()).write(new, named: name, isSensitive: isHidden)
      guard let context, let recorder, let now, old != nil || new != nil else { return (old, nil) }
      // Appended under the lock, so that the record has the order of the writes.
      let event = RecordedKind.written(name, old: old, new: new, hidesTexts: !isShown)
      recorder.append(event, source: context.source, at: now)
      return (old, event)
    }
    event?.makeTexts()
    recorder?.deliver()
  }
}

/// The values of one operation: of a group's item, or of an operation that runs outside a flow.
///
/// Most items have one value, which is stored without a dictionary.
final class ItemScope: @unchecked Sendable {
  // Invariant: a scope belongs to one operation. Once the operation has it, it is read and written only under its lock.
  private let inputName: String?
  /// The item's input; `nil` once it is removed.
  private var input: (any Sendable)?
  private var sensitiveNames: Set<String>
  /// The values that were written; their texts are never made under the lock.
  private var written = [String: RecordedValue]()

  init(inputName: String? = nil, input: (any Sendable)? = nil, sensitiveNames: Set<String> = []) {
    self.inputName = inputName
    self.input = input
    self.sensitiveNames = sensitiveNames
  }

  func value(named name: String) -> (any Sendable)? {
    if !written.isEmpty, let entry = written[name] { return entry.value }
    return name == inputName ? input : nil
  }

  func isSensitive(_ name: String) -> Bool { !sensitiveNames.isEmpty && sensitiveNames.contains(name) }
  func markSensitive(_ name: String) { sensitiveNames.insert(name) }

  /// Returns a value that the operation itself has written; its input isn't one.
  func output(named name: String) -> (any Sendable)? { written[name]?.value }

  /// Writes a value, or removes the name; returns the old value, to be freed outside the lock.
  func write(_ new: RecordedValue?, named name: String, isSensitive: Bool) -> RecordedValue? {
    if isSensitive { sensitiveNames.insert(name) }
    let given = name == inputName ? input : nil
    let old = written[name] ?? given.map { RecordedValue(value: $0, text: nil) }
    written[name] = new
    if name == inputName, new == nil { input = nil }
    return old
  }
}
