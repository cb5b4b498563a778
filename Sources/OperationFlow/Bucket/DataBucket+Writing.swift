// Writing: a change is stored and recorded in one step, under the bucket's lock.

extension DataBucket {
  /// Writes `value` under `key`; `nil` removes it.
  ///
  /// - Parameters:
  ///   - key: The key to write.
  ///   - value: The new value.
  @inlinable
  public func set<Value>(_ key: FlowKey<Value>, to value: Value?) {
    write(value, named: key.name, isSensitive: key.isSensitive)
  }

  /// Changes the value under `key` atomically, so that no other read or write can happen in between.
  ///
  /// In a resumed run, a value that the journal doesn't have, or has as another type, isn't changed: the run is left to
  /// be resumed.
  ///
  /// - Parameters:
  ///   - key: The key to change.
  ///   - defaultValue: The value that `change` starts with if the name is missing or its value has another type.
  ///   - change: A closure that changes the value. It runs under the bucket's lock, so it must not use the bucket, log,
  ///     or wait.
  /// - Returns: The result of `change`.
  /// - Throws: The error that `change` throws; the bucket is then unchanged.
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
    // A value of an earlier process is decoded by code of its type, which must not run under the lock.
    if let undecoded = read(key.name, isSensitive: key.isSensitive) as? any UndecodedValue {
      _ = restore(undecoded, key)
    }
    let now = recorder?.now
    let wantsText = recorder?.wantsTexts ?? false
    let (result, written) = try state.withLock { state -> (Result, Written) in
      if key.isSensitive { mark(key.name, in: &state) }
      let found = state.entries[key.name]?.value
      if let found, found is UnavailableValue || found is any UndecodedValue || state.keeps(found, of: key) {
        var unused = initial
        let result = try change(&unused)
        let error = FlowError.unreadable(found, key.name, isSensitive: state.isSensitive(key.name), as: Value.self)
        var written = refuse(error, by: writer, in: &state, at: now)
        written.misread = found
        return (result, written)
      }
      // Without `flatMap`, a missing value would be cast to an optional `Value`, which succeeds.
      var value = found.flatMap { $0 as? Value } ?? initial
      let result = try change(&value)
      let isShown = wantsText && !state.isSensitive(key.name)
      let entry = unwrapped(value).map { value in
        // The value is only known under the lock. Its own description runs outside it.
        let text = isShown ? ValueText.atHand(value).map(RecordText.made) ?? .pending(PendingText(value)) : nil
        return RecordedValue(value: value, text: text)
      }
      return (result, store(entry, named: key.name, by: writer, in: &state, at: now))
    }
    finish(written)
    reportMisread(written.misread, named: key.name, as: Value.self, by: writer)
    return result
  }

  /// Removes the value under `name`.
  public func removeData(_ name: String) { write(nil, named: name) }

  /// Removes the value under `key`.
  public func removeData<Value>(_ key: FlowKey<Value>) {
    write(nil, named: key.name, isSensitive: key.isSensitive)
  }

  /// Marks names as sensitive: their values are shown as `<redacted>`, even in earlier events.
  package func markSensitive(_ names: Set<String>) {
    state.withLock { state in for name in names { mark(name, in: &state) } }
  }

  /// Marks a name under the lock, so that no write happens between its marking in the bucket and in the record.
  func mark(_ name: String, in state: inout State) {
    guard state.sensitiveNames.insert(name).inserted else { return }
    if let entry = state.entries[name] { state.entries[name] = entry.withoutText }
    recorder?.hide([name])
  }

  /// Replaces all values, without recording that, for a flow's initial data before it runs.
  func replaceAll(_ values: [String: any Sendable]) {
    let entries = FlowData(values: values).entries
    let (old, names) = state.withLock { (exchange(&$0.entries, with: entries), $0.sensitiveNames) }
    for (name, entry) in old where names.contains(name) || redacts(entry, named: name) {
      recorder?.hide(value: entry.value)
    }
  }

  /// Replaces one value, without recording that.
  package func replace(_ value: (any Sendable)?, named name: String) {
    let entry = value.flatMap(unwrapped).map(RecordedValue.init(initial:))
    let (old, names) = state.withLock { (exchange(&$0.entries[name], with: entry), $0.sensitiveNames) }
    if let old, names.contains(name) || redacts(old, named: name) { recorder?.hide(value: old.value) }
  }

  /// Returns true if a replaced value has to be hidden although its name isn't marked.
  private func redacts(_ old: RecordedValue, named name: String) -> Bool {
    !old.isShort && recorder?.redaction.redacts(ValueText.name(name)) ?? false
  }

  /// Writes a value, or removes the name; `writer` is the step that writes, if there is one.
  @usableFromInline
  func write(
    _ value: (any Sendable)?, named name: String, isSensitive: Bool = false, by writer: FlowEvent.Source? = nil
  ) {
    var new: RecordedValue?
    if let value = value.flatMap(unwrapped) {
      // A value's description may use the bucket, so a text that will be shown is made before the lock is acquired.
      var text: String?
      if !isSensitive, recorder?.wantsTexts == true {
        text = ValueText.atHand(value) ?? (self.isSensitive(name) ? nil : ValueText.describe(value))
      }
      new = RecordedValue(value: value, text: text.map(RecordText.made))
    }
    let now = recorder?.now
    let written = state.withLock { state in
      if isSensitive { mark(name, in: &state) }
      if state.isSensitive(name) { new = new?.withoutText }
      return store(new, named: name, by: writer, in: &state, at: now)
    }
    finish(written)
  }

  /// Reports a value that can't be changed to the writer's keeper, or as a warning if the writer isn't at work.
  private func refuse(
    _ error: FlowError, by writer: FlowEvent.Source?, in state: inout State, at now: RunMoment?
  ) -> Written {
    if state.keeper?.didRefuse(error, to: writer) == true { return Written() }
    let source = writer?.renamed(FlowEvent.Source.dataBucket.name) ?? .dataBucket
    guard let recorder, let now else { return Written() }
    return Written(isWatched: recorder.append(.plain(.warned(error.problem)), source: source, at: now))
  }

  /// The work that remains after a write, outside the lock.
  private struct Written {
    /// The old value, which is freed outside the lock, because its `deinit` may use the bucket.
    var old: RecordedValue?
    var hidesOld = false
    /// The event, if its texts are still to be made.
    var event: RecordedKind?
    /// The value that could not be changed.
    var misread: (any Sendable)?
    var isWatched = false
  }

  private func finish(_ written: Written) {
    // A value that is no longer in any bucket may still be in a text.
    if written.hidesOld, let old = written.old { recorder?.hide(value: old.value) }
    written.event?.makeTexts()
    if written.isWatched { recorder?.deliver() }
  }

  /// Stores and records a value in one step under the lock, so that the record has the order of the writes.
  private func store(
    _ new: RecordedValue?, named name: String, by writer: FlowEvent.Source?, in state: inout State,
    at now: RunMoment?
  ) -> Written {
    let old =
      if let new { state.entries.updateValue(new, forKey: name) } else { state.entries.removeValue(forKey: name) }
    state.keeper?.didWrite(new?.value, named: name, by: writer)
    guard let recorder, let now, old != nil || new != nil else { return Written(old: old) }
    let isSensitive = state.isSensitive(name)
    let source = writer?.renamed(FlowEvent.Source.dataBucket.name) ?? .dataBucket
    let hidesOld = isSensitive || old.map { redacts($0, named: name) } ?? false
    return recorder.write { record in
      let event = RecordedKind.written(name, old: old, new: new, hidesTexts: isSensitive || !record.wantsTexts)
      record.append(event, source: source, at: now)
      return Written(old: old, hidesOld: hidesOld, event: event, isWatched: record.isWatched)
    }
  }
}

extension DataBucket.State {
  /// Returns true if an earlier process wrote the value, and it has another type than its key: it must not be lost.
  fileprivate func keeps<Value>(_ found: any Sendable, of key: FlowKey<Value>) -> Bool {
    !(found is Value) && keeper?.holdsRestored(key.name) == true
  }
}
