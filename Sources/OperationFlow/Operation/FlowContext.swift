/// Gives a step's closure access to its run: the data bucket, the log, and whether to stop.
///
/// You can store it and use it from any thread until the run ends.
public struct FlowContext: Sendable, CustomReflectable {
  let host: any OperationHost
  package var source: FlowEvent.Source
  var ticket: WorkTicket
  let declared: DeclaredKeys?

  /// The index of the group's item, counted from 0; `nil` outside groups.
  public var index: Int? { source.item }

  /// The numbers of the item and the attempt, because a full mirror would contain everything in the run.
  public var customMirror: Mirror {
    Mirror(self, children: ["index": index as Any, "attempt": attempt], displayStyle: .struct)
  }

  /// A text that is the same for each attempt of this work, also after a resume, so that a server can do the work once.
  ///
  /// It consists of the run's identifier, which is random without a store, the step's path, and the item's index.
  public var idempotencyKey: String { host.idempotencyKey(source, ticket, isOfStep: false) }

  /// The ``idempotencyKey`` of the step or the item, for its undo, its recovery, or the code that gets its result.
  ///
  /// In the work itself, it is the same as ``idempotencyKey``.
  public var stepIdempotencyKey: String { host.idempotencyKey(source, ticket, isOfStep: true) }

  /// The number of the attempt, counted from 1; attempts beyond 65,535 have that number.
  public var attempt: Int { source.attempt }

  /// True if the step should stop: the run is cancelled or has failed, or the step's task is cancelled.
  public var isCancelled: Bool { host.isStopping(ticket) || Task.isCancelled }

  /// Throws a `CancellationError` if the step should stop.
  public func checkCancellation() throws {
    if isCancelled { throw CancellationError() }
  }

  /// Adds a line to the flow's record.
  ///
  /// - Parameters:
  ///   - message: The line; a summary shows it after the time and the step's name.
  ///   - level: The importance of the line.
  public func log(_ message: String, level: FlowLogLevel = .info) {
    host.recorder.record(.logged(message, level), source: source)
  }

  package func record(_ event: FlowEvent.Kind) { host.recorder.record(event, source: source) }

  // MARK: The data bucket

  /// The value under `key` in the flow's data bucket.
  ///
  /// It is `nil` if the value is missing or has another type; the latter adds a warning to the record. Setting `nil`
  /// removes the name.
  public subscript<Value>(key: FlowKey<Value>) -> Value? {
    @inlinable get {
      guard let found = read(key.name, isSensitive: key.isSensitive) else { return nil }
      return unboxed(found, as: Value.self) ?? converted(found, key)
    }
    @inlinable nonmutating set { write(newValue, named: key.name, isSensitive: key.isSensitive) }
  }

  /// Returns the value under `key` as the key's type.
  ///
  /// - Parameter key: The key to read.
  /// - Returns: The value.
  /// - Throws: ``FlowError`` with the code `missingData` or `mismatchedData`; uncaught, it fails the step.
  @inlinable
  public func require<Value>(_ key: FlowKey<Value>) throws(FlowError) -> Value {
    let found = read(key.name, isSensitive: key.isSensitive)
    if let found, let typed = unboxed(found, as: Value.self) { return typed }
    return try checkedValue(found, key)
  }

  @usableFromInline
  func read(_ name: String, isSensitive: Bool) -> (any Sendable)? {
    checkReading(name)
    return host.bucket.read(name, isSensitive: isSensitive)
  }

  @usableFromInline
  func write(_ value: (any Sendable)?, named name: String, isSensitive: Bool) {
    checkWriting(name)
    host.bucket.write(value, named: name, isSensitive: isSensitive, by: source)
  }

  /// Converts a value whose type isn't exactly the key's.
  ///
  /// A separate function, so that other modules inline less code in each read.
  @usableFromInline
  func converted<Value>(_ found: any Sendable, _ key: FlowKey<Value>) -> Value? {
    if let typed = host.bucket.converted(found, key) { return typed }
    warnOnce("mismatch", key.name, unusedValue(named: key.name, as: Value.self, found: found))
    return nil
  }

  @usableFromInline
  func checkedValue<Value>(_ found: (any Sendable)?, _ key: FlowKey<Value>) throws(FlowError) -> Value {
    try host.bucket.checkedValue(found, key, by: source)
  }

  /// Changes the value under `key` atomically: no other read or write can happen in between.
  ///
  /// In a resumed run, a value that the journal doesn't contain, or contains as another type, isn't changed: the run is
  /// left to be resumed later.
  ///
  /// - Parameters:
  ///   - key: The key to change.
  ///   - defaultValue: The value that `change` starts with if the name is missing or its value has another type.
  ///   - change: Changes the value. It runs under the bucket's lock, so it must not use the bucket, log, or wait.
  /// - Returns: The result of `change`.
  /// - Throws: The error that `change` throws; the bucket is then unchanged.
  @discardableResult
  public func update<Value, Result>(
    _ key: FlowKey<Value>, default defaultValue: @autoclosure () -> Value, _ change: (inout Value) throws -> Result
  ) rethrows -> Result {
    checkReading(key.name)
    checkWriting(key.name)
    return try host.bucket.update(key, default: defaultValue(), by: source, change)
  }

  private func checkReading(_ name: String) {
    if let declared, !declared.allowsReading(name) { warnOnce("read", name, undeclared(name, "read", "reads")) }
  }

  private func checkWriting(_ name: String) {
    if let declared, !declared.allowsWriting(name) { warnOnce("write", name, undeclared(name, "written", "writes")) }
  }

  private func undeclared(_ name: String, _ use: String, _ trait: String) -> String {
    "<\(name)> is \(use), and the step's .\(trait)(…) does not declare it: add it there, so that it can be checked."
  }

  /// Records a warning once in a run, however often the step or its items cause it.
  private func warnOnce(_ use: String, _ name: String, _ warning: @autoclosure () -> String) {
    if host.isNew("\(use) \(source.step) \(name)") { record(.warned(warning())) }
  }

  // MARK: Progress

  /// Reports the fraction of its work that the step has done, for the run's progress.
  ///
  /// - Parameter fraction: A value from 0 to 1; a value outside this range is clamped to it.
  public func reportProgress(_ fraction: Double) {
    host.workDidReport(ticket, fraction: fraction)
  }
}

extension FlowContext {
  /// The ending of the run so far, in an undo and in steps that run at the end; `nil` while it isn't decided.
  public var ending: FlowEnding? { host.ending }

  /// Returns the item of a group that is being undone.
  ///
  /// - Parameter type: The item's type, if it can't be inferred.
  /// - Returns: The item.
  /// - Throws: ``FlowError`` with the code `missingData` outside the undo of a group's item, and `mismatchedData` if
  ///   the item has another type.
  public func item<Value>(as type: Value.Type = Value.self) throws(FlowError) -> Value {
    try undone({ $0.item }, "item", as: type)
  }

  /// Returns the output of the group's item that is being undone.
  ///
  /// - Parameter type: The output's type, if it can't be inferred.
  /// - Returns: The output.
  /// - Throws: ``FlowError`` with the code `missingData` outside the undo of a group's item and for an item without an
  ///   output, and `mismatchedData` if the output has another type.
  public func output<Value>(as type: Value.Type = Value.self) throws(FlowError) -> Value {
    try undone({ $0.output }, "output", as: type)
  }

  private func undone<Value>(
    _ value: (UndoneItem) -> (any Sendable)?, _ word: String, as type: Value.Type
  ) throws(FlowError) -> Value {
    guard let found = host.undoneItem(ticket).flatMap(value) else {
      throw FlowError(
        .missingData, "there is no \(word) that is being undone",
        remedy: "Call \(word)(as:) in the .undo of a group, for items that have one.")
    }
    guard let typed = found as? Value ?? restored(found, as: Value.self) else {
      throw FlowError(
        .mismatchedData, "the \(word) that is being undone is a \(foundType(of: found).name)",
        remedy: "Call \(word)(as:) with that type.")
    }
    return typed
  }
}

typealias UndoneItem = (item: (any Sendable)?, output: (any Sendable)?)
