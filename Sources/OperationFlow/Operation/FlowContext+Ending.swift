extension FlowContext {
  /// The ending of the run so far, in an undo and in steps that run at the end; `nil` while it isn't decided.
  public var ending: FlowEnding? { host.ending }

  /// Returns the item of a group that is being undone.
  ///
  /// - Parameter type: The item's type, if it can't be inferred.
  /// - Returns: The item.
  /// - Throws: ``FlowError`` with the code `missingData` outside the undo of a group's item, and `mismatchedData` if the
  ///   item has another type.
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
