/// The named values that the operations of one run share.
///
/// Reads are checked: a missing name and a value of another type are different, readable failures. An optional is
/// stored unwrapped, and storing `nil` removes the name. You can call every member from any thread; each one is atomic.
public final class DataBucket: Sendable {
  struct State: ~Copyable, Sendable {
    var entries: [String: RecordedValue]
    var sensitiveNames: Set<String>
    /// The object that is notified of writes; `nil` for nearly every bucket.
    var keeper: (any WriteKeeper)?

    func isSensitive(_ name: String) -> Bool { !sensitiveNames.isEmpty && sensitiveNames.contains(name) }
  }

  let state: Locked<State>
  let recorder: Recorder?

  /// Creates a bucket of its own, outside any flow.
  ///
  /// - Parameter values: The initial values.
  public convenience init(_ values: [String: any Sendable] = [:]) {
    self.init(FlowData(values: values), sensitiveNames: [], recorder: nil)
  }

  /// Creates a bucket that records its writes in `recorder`, in the order in which they happen.
  ///
  /// The data may have texts already; values that are recorded get one, unless they are sensitive.
  package init(_ data: borrowing FlowData, sensitiveNames: Set<String>, recorder: Recorder?) {
    var entries = recorder == nil ? data.entries : data.entries.withTexts(hiding: sensitiveNames)
    for name in sensitiveNames { if let entry = entries[name] { entries[name] = entry.withoutText } }
    state = Locked(State(entries: entries, sensitiveNames: sensitiveNames))
    self.recorder = recorder
    if !sensitiveNames.isEmpty { recorder?.hide(sensitiveNames) }
  }

  // MARK: Reading

  /// The value under `key`; `nil` if it is missing or has another type.
  @inlinable
  public subscript<Value>(key: FlowKey<Value>) -> Value? {
    guard let found = read(key.name, isSensitive: key.isSensitive) else { return nil }
    return unboxed(found, as: Value.self) ?? converted(found, key)
  }

  /// Returns the value under `key` as the key's type.
  ///
  /// - Parameter key: The key to read.
  /// - Returns: The value.
  /// - Throws: ``FlowError`` with the code `missingData` or `mismatchedData`.
  @inlinable
  public func require<Value>(_ key: FlowKey<Value>) throws(FlowError) -> Value {
    let found = read(key.name, isSensitive: key.isSensitive)
    if let found, let typed = unboxed(found, as: Value.self) { return typed }
    return try checkedValue(found, key)
  }

  /// Converts a value that isn't stored as the key's type; `nil` if it can't be converted.
  ///
  /// It isn't inlined, because its code would then be in each read.
  @usableFromInline
  func converted<Value>(_ found: any Sendable, _ key: FlowKey<Value>) -> Value? {
    found as? Value ?? restore(found, key)
  }

  /// Converts a value that isn't stored as the key's type; throws an error if it can't be converted or is missing.
  @usableFromInline
  func checkedValue<Value>(_ found: (any Sendable)?, _ key: FlowKey<Value>) throws(FlowError) -> Value {
    try checkedValue(found, key, by: nil)
  }

  func checkedValue<Value>(
    _ found: (any Sendable)?, _ key: FlowKey<Value>, by reader: FlowEvent.Source?
  ) throws(FlowError) -> Value {
    if let found, let typed = converted(found, key) { return typed }
    reportMisread(found, named: key.name, as: Value.self, by: reader)
    return try checked(found, name: key.name, isSensitive: isSensitive(key.name))
  }

  /// Returns a value of an earlier process as the key's type, and stores it in place of the undecoded one.
  func restore<Value>(_ value: any Sendable, _ key: FlowKey<Value>) -> Value? {
    guard let typed = restored(value, as: Value.self) else { return nil }
    let entry = unwrapped(typed).map { RecordedValue(value: $0, text: nil) }
    // The replaced value may use the bucket when it is freed, so it isn't freed under the lock.
    _ = state.withLock { state -> RecordedValue? in
      guard let entry, let undecoded = value as? any UndecodedValue,
        undecoded.identity == (state.entries[key.name]?.value as? any UndecodedValue)?.identity
      else { return nil }
      return exchange(&state.entries[key.name], with: entry)
    }
    return typed
  }

  /// Returns the value under a name, and marks the name as sensitive if the key is.
  @usableFromInline
  func read(_ name: String, isSensitive: Bool) -> (any Sendable)? {
    state.withLock { state in
      if isSensitive { mark(name, in: &state) }
      return state.entries[name]?.value
    }
  }

  /// Returns true if there is a value of any type under `name`.
  public func contains(_ name: String) -> Bool {
    value(named: name).map { !isBoxed($0, as: UnavailableValue.self) } ?? false
  }

  /// Returns true if there is a value of any type under `key`.
  public func contains<Value>(_ key: FlowKey<Value>) -> Bool { contains(key.name) }

  /// All current values by their names.
  public var values: [String: any Sendable] { state.withLock { $0.entries }.known }

  /// Returns all values, each with its present text unless it is hidden; this may make texts, so no lock may be held.
  func describedEntries() -> [String: RecordedValue] {
    let (entries, hidden) = state.withLock { ($0.entries, $0.sensitiveNames) }
    return entries.withTexts(hiding: hidden)
  }

  package func value(named name: String) -> (any Sendable)? { state.withLock { $0.entries[name]?.value } }
  func isSensitive(_ name: String) -> Bool { state.withLock { $0.isSensitive(name) } }
  package var sensitiveNames: Set<String> { state.withLock { $0.sensitiveNames } }

  /// The present data and the sensitive names.
  var content: FlowData { state.withLock { FlowData($0.entries, sensitiveNames: $0.sensitiveNames) } }
}

extension DataBucket: CustomReflectable {
  /// The names and texts of the values, sorted by name; sensitive values are shown as `<redacted>`.
  public var customMirror: Mirror {
    let entries = state.withLock { $0.entries }
    let hidden = Set(entries.keys.filter(isHidden))
    var secrets = entries.secrets(hidden.contains)
    for text in replacedSecrets { secrets.insert(whole: text) }
    let items = entries.items(hiding: Set(hidden)).map { $0.scrubbing(secrets) }
    return Mirror(self, children: items.map { ($0.name, $0.text as Any) }, displayStyle: .class)
  }
}
