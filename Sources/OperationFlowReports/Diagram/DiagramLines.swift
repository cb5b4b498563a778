import OperationFlow

extension FlowBlueprint.Step {
  /// The lines in the step's box before a run.
  var diagramLines: [String] { DiagramLine.work(name, FlowRecord.Kind(kind)) + DiagramLine.options(options) }
}

extension FlowRecord.Step {
  /// Returns the lines in the step's box during or after a run.
  ///
  /// If other lines have the result of the step's undo, `hidesUndo` leaves out that the step can be undone.
  func diagramLines(hidesUndo: Bool) -> [String] {
    var lines = DiagramLine.work(name, kind)
    lines += DiagramLine.options(hidesUndo ? options.subtracting([.undo]) : options)
    var facts = [state.words]
    if let duration { facts.append(DurationText.of(duration)) }
    if beforeResume != nil { facts.append("before the resume") }
    if attempts > 1 { facts.append("\(attempts) attempts") }
    lines.append(facts.joined(separator: ", "))
    if let items { lines.append(items.countText) }
    return lines
  }
}

/// The lines that diagrams before and after a run have in common.
private enum DiagramLine {
  static func work(_ name: String, _ kind: FlowRecord.Kind) -> [String] {
    switch kind {
    case .operation(let type): type == name ? [name] : [name, type]
    case .group(.max, _): [name, "each item, all at once"]
    case .group(let width, _): [name, "each item, at most \(width) at once"]
    case .always: [name, "always runs"]
    case .parallel: [name, "at the same time"]
    case .closure, .cases, .branch, .flow, .other: [name]
    }
  }

  static func options(_ options: Set<FlowRecord.Option>) -> [String] {
    let texts = FlowRecord.Option.allCases.filter(options.contains).map { option in
      switch option {
      case .undo: "can be undone"
      case .condition: "on a condition"
      case .retry: "may be tried again"
      case .timeout: "has a time limit"
      case .wait: "waits"
      }
    }
    return texts.isEmpty ? [] : [texts.joined(separator: ", ")]
  }
}

extension FlowRecord.State {
  /// The state in words.
  var words: String { self == .neverRan ? "never ran" : rawValue }

  /// True if the run has reached a step in this state.
  var wasReached: Bool {
    switch self {
    case .running, .succeeded, .failed, .cancelled: true
    case .waiting, .skipped, .neverRan: false
    }
  }
}
