import OperationFlow

extension FlowRecord.State {
  /// The word for the state in a page.
  var word: String {
    switch self {
    case .waiting: "Waiting"
    case .running: "Running"
    case .succeeded: "Succeeded"
    case .failed: "Failed"
    case .cancelled: "Cancelled"
    case .skipped: "Skipped"
    case .neverRan: "Never ran"
    }
  }

  /// True if the run has reached a step in this state.
  var isReached: Bool {
    switch self {
    case .waiting, .skipped, .neverRan: false
    case .running, .succeeded, .failed, .cancelled: true
    }
  }
}

extension FlowRecord.Kind {
  /// The word for the kind, or a few words.
  var word: String {
    switch self {
    case .operation(let type): type
    case .closure: "closure"
    case .group(let width, _): width == Int.max ? "group" : "group, \(width) at once"
    case .cases: "cases"
    case .branch: "branch"
    case .flow: "flow"
    case .parallel: "in parallel"
    case .always: "always"
    case .other(let name): name
    }
  }
}
