/// What undos need of the steps and items that have succeeded: kept until the end of the run.
struct UndoLedger: Sendable {
  /// What one of them has left.
  struct Value: Sendable {
    /// The name that its events had; that of an operation may be its own.
    let name: String
    let item: (any Sendable)?
    let output: (any Sendable)?
  }

  private var values: [RunWork: Value] = [:]

  subscript(undo: RunWork) -> Value? { values[undo] }

  mutating func keep(_ value: Value, for undo: RunWork) { values[undo] = value }

  /// Removes and returns what one of them has left, to be freed outside the lock.
  mutating func remove(_ undo: RunWork) -> Value? { values.removeValue(forKey: undo) }

  /// Removes and returns everything, to be freed outside the lock.
  mutating func removeAll() -> [RunWork: Value] {
    defer { values = [:] }
    return values
  }
}

extension RunState {
  /// Keeps what an undo needs of a step or an item that has succeeded, if it can be undone.
  @inline(never)
  mutating func keepForUndo(_ work: RunWork, _ output: (any Sendable)?, _ source: FlowEvent.Source) {
    guard let step = work.step, let undo = work.undoing, machine.blueprint.steps[step].options.special?.undo != nil
    else { return }
    let item = work.item.flatMap { index in groups.update(step) { $0.item(at: index) } ?? nil }
    rareOrNew.undoLedger.keep(UndoLedger.Value(name: source.name, item: item, output: output), for: undo)
  }
}
