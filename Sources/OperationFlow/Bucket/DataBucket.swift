import Foundation

/// The named values that the operations of one run share.
///
/// Reads are checked: a missing name and a value of another type are different, readable failures. An optional is
/// stored unwrapped, and storing `nil` removes the name. Every member may be called from any thread; each is atomic.
public final class DataBucket: Sendable {
  struct State: Sendable {
    var entries: [String: Entry] = [:]
    var sensitiveNames: Set<String> = []
  }

  /// A value with its text, made when it was written, so that a record never has to ask a value again.
  ///
  /// A class, for reading the value should not copy the text.
  final class Entry: Sendable {
    let value: any Sendable
    let text: String

    init(value: any Sendable, text: String) {
      self.value = value
      self.text = text
    }
  }

  private let state: Locked<State>
  private let recorder: Recorder?

  /// Makes a bucket of its own, outside any flow.
  ///
  /// - Parameter values: The values that it holds at first.
  public convenience init(_ values: [String: any Sendable] = [:]) {
    self.init(values, sensitiveNames: [], recorder: nil)
  }

  /// Writes are recorded in `recorder`, in the order in which they happen.
  init(_ values: [String: any Sendable], sensitiveNames: Set<String>, recorder: Recorder?) {
    var state = State(sensitiveNames: sensitiveNames)
    state.entries.reserveCapacity(values.count)
    for (name, value) in values {
      guard let value = unwrapped(value) else { continue }
      let text = sensitiveNames.contains(name) ? ValueText.redacted : ValueText.describe(value)
      state.entries[name] = Entry(value: value, text: text)
    }
    self.state = Locked(state)
    self.recorder = recorder
  }

  // MARK: Reading

  /// The value under `key`; `nil` where there is none, or where it is of another type.
  public subscript<Value>(key: FlowKey<Value>) -> Value? {
    value(named: key.name) as? Value
  }

  /// The value under `key`, of the key's type.
  ///
  /// - Parameter key: The key to read.
  /// - Returns: The value.
  /// - Throws: ``FlowError`` with the code `missingData` or `mismatchedData`.
  public func require<Value>(_ key: FlowKey<Value>) throws(FlowError) -> Value {
    try checked(value(named: key.name), name: key.name, isSensitive: key.isSensitive || isSensitive(key.name))
  }

  /// Whether a value of any type stands under `name`.
  ///
  /// - Parameter name: The name to look for.
  /// - Returns: Whether it is there.
  public func contains(_ name: String) -> Bool {
    state.withLock { $0.entries[name] != nil }
  }

  /// Whether a value of any type stands under `key`.
  ///
  /// - Parameter key: The key to look for.
  /// - Returns: Whether it is there.
  public func contains<Value>(_ key: FlowKey<Value>) -> Bool { contains(key.name) }

  /// All values by their names, as they are now.
  public var values: [String: any Sendable] {
    state.withLock { $0.entries.mapValues(\.value) }
  }

  func value(named name: String) -> (any Sendable)? {
    state.withLock { $0.entries[name]?.value }
  }

  func isSensitive(_ name: String) -> Bool {
    state.withLock { !$0.sensitiveNames.isEmpty && $0.sensitiveNames.contains(name) }
  }

  var sensitiveNames: Set<String> {
    state.withLock { $0.sensitiveNames }
  }

  /// The names and the texts of all values, sorted by name.
  func listing() -> [FlowEvent.Item] {
    let entries = state.withLock { $0.entries }
    return entries.map { FlowEvent.Item(name: $0.key, text: $0.value.text) }.sorted { $0.name < $1.name }
  }

  // MARK: Writing

  /// Writes `value` under `key`; `nil` removes it.
  ///
  /// - Parameters:
  ///   - key: The key to write.
  ///   - value: The new value.
  public func set<Value>(_ key: FlowKey<Value>, to value: Value?) {
    write(value, named: key.name, isSensitive: key.isSensitive)
  }

  /// Changes the value under `key` in one step that no other reader or writer can come between.
  ///
  /// - Parameters:
  ///   - key: The key to change.
  ///   - defaultValue: What `change` is given where the name is missing or holds another type.
  ///   - change: Changes the value. It runs under the bucket's lock, as does the new value's description: neither may
  ///     use the bucket, log, or wait.
  /// - Returns: What `change` returns.
  /// - Throws: What `change` throws; the bucket is then as it was.
  @discardableResult
  public func update<Value, Result>(
    _ key: FlowKey<Value>, default defaultValue: @autoclosure () -> Value, _ change: (inout Value) throws -> Result
  ) rethrows -> Result {
    try update(key, default: defaultValue(), by: nil, change)
  }

  func update<Value, Result>(
    _ key: FlowKey<Value>, default defaultValue: @autoclosure () -> Value, by writer: FlowEvent.Source?,
    _ change: (inout Value) throws -> Result
  ) rethrows -> Result {
    let initial = defaultValue()
    if key.isSensitive { markSensitive(CollectionOfOne(key.name)) }
    let (result, _) = try state.withLock { state in
      var value = state.entries[key.name]?.value as? Value ?? initial
      let result = try change(&value)
      return (result, store(unwrapped(value), text: nil, named: key.name, by: writer, in: &state))
    }
    recorder?.deliver()
    return result
  }

  /// Removes the value under `name`.
  ///
  /// - Parameter name: The name to remove.
  public func removeData(_ name: String) {
    write(nil, named: name)
  }

  /// Removes the value under `key`.
  ///
  /// - Parameter key: The key to remove.
  public func removeData<Value>(_ key: FlowKey<Value>) {
    write(nil, named: key.name, isSensitive: key.isSensitive)
  }

  /// Marks names as sensitive: their values are shown as `<redacted>`, in what was recorded before as well.
  func markSensitive(_ names: some Sequence<String>) {
    let fresh = state.withLock { state in
      names.filter { name in
        guard state.sensitiveNames.insert(name).inserted else { return false }
        if let entry = state.entries[name] {
          state.entries[name] = Entry(value: entry.value, text: ValueText.redacted)
        }
        return true
      }
    }
    if !fresh.isEmpty { recorder?.redact(Set(fresh)) }
  }

  /// Puts other values in the place of all, unrecorded: a flow's initial data before it runs.
  func replaceAll(_ values: [String: any Sendable]) {
    let other = DataBucket(values, sensitiveNames: sensitiveNames, recorder: nil)
    let entries = other.state.withLock { $0.entries }
    _ = state.withLock { state in
      defer { state.entries = entries }
      return state.entries
    }
  }

  /// Puts one value in the place of another, unrecorded.
  func replace(_ value: (any Sendable)?, named name: String) {
    let value = value.flatMap(unwrapped)
    let text = value.map { isSensitive(name) ? ValueText.redacted : ValueText.describe($0) }
    _ = state.withLock { state in
      defer { state.entries[name] = value.map { Entry(value: $0, text: text ?? "") } }
      return state.entries[name]
    }
  }

  /// Writes a value, or removes the name; `writer` is the step that does, if one does.
  func write(
    _ value: (any Sendable)?, named name: String, isSensitive: Bool = false, by writer: FlowEvent.Source? = nil
  ) {
    let value = value.flatMap(unwrapped)
    if isSensitive { markSensitive(CollectionOfOne(name)) }
    // A value's own description may use the bucket, so its text is made before the lock is taken.
    let text = isSensitive ? ValueText.redacted : value.map { ValueText.describe($0) }
    _ = state.withLock { store(value, text: text, named: name, by: writer, in: &$0) }
    recorder?.deliver()
  }

  /// Stores and records in one step under the lock, so that the record's order is that of the writes.
  ///
  /// Returns the old entry, so that its value is freed outside the lock: its `deinit` may use the bucket.
  private func store(
    _ value: (any Sendable)?, text: String?, named name: String, by writer: FlowEvent.Source?, in state: inout State
  ) -> Entry? {
    let old = state.entries[name]
    let isSensitive = state.sensitiveNames.contains(name)
    let text = value.map { isSensitive ? ValueText.redacted : text ?? ValueText.describe($0) }
    state.entries[name] = value.flatMap { value in text.map { Entry(value: value, text: $0) } }
    if let event = FlowEvent.Kind.written(name, old: old?.text, new: text) {
      recorder?.append(event, source: writer?.renamed(FlowEvent.Source.dataBucket.name) ?? .dataBucket)
    }
    return old
  }
}
