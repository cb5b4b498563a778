import OperationFlow

extension FlowBlueprint.Step {
  /// The lines in the step's box before a run.
  var diagramLines: [String] {
    var lines = [name]
    switch kind {
    case .operation(let type): if type != name { lines.append(type) }
    case .group(let width, _, _): lines.append(DiagramLine.width(width))
    case .always: lines.append(DiagramLine.always)
    case .parallel: lines.append(DiagramLine.parallel)
    case .closure, .cases, .flow: break
    }
    let options: [(Bool, FlowRecord.Option)] = [
      (hasUndo, .undo), (hasCondition, .condition), (hasRetry, .retry), (hasTimeLimit, .timeout),
      (waits, .wait),
    ]
    return lines + DiagramLine.options(Set(options.filter(\.0).map(\.1)))
  }
}

extension FlowRecord.Step {
  /// Returns the lines in the step's box during or after a run.
  ///
  /// If other lines have the result of the step's undo, `hidesUndo` leaves out that the step can be undone.
  func diagramLines(hidesUndo: Bool) -> [String] {
    var lines = [name]
    switch kind {
    case .operation(let type): if type != name { lines.append(type) }
    case .group(let width, _): lines.append(DiagramLine.width(width))
    case .always: lines.append(DiagramLine.always)
    case .parallel: lines.append(DiagramLine.parallel)
    case .closure, .cases, .branch, .flow, .other: break
    }
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
  static let always = "always runs"
  static let parallel = "at the same time"

  static func width(_ width: Int) -> String {
    width == .max ? "each item, all at once" : "each item, at most \(width) at once"
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
