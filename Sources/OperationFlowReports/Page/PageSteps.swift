import OperationFlow

/// The steps of a record as a tree of indices, so that no part of a page needs recursion.
struct PageSteps {
  /// The steps, each before those within it.
  let steps: [FlowRecord.Step]
  /// The positions of the outermost steps.
  private(set) var roots: [Int] = []
  /// The positions of the steps and branches directly within each step, in order.
  private(set) var children: [[Int]]
  /// The position of the step or branch that contains each step.
  private(set) var parents: [Int?]
  /// The number of steps within each step, at any depth; branches don't count.
  private(set) var countsWithin: [Int]
  /// The position of each step by its number.
  private(set) var places: [Int: Int] = [:]

  init(_ record: FlowRecord) {
    steps = record.steps
    children = Array(repeating: [], count: steps.count)
    parents = Array(repeating: nil, count: steps.count)
    countsWithin = Array(repeating: 0, count: steps.count)
    places.reserveCapacity(steps.count)
    for (index, step) in steps.enumerated() {
      if let parent = step.parent.flatMap({ places[$0] }) {
        parents[index] = parent
        children[parent].append(index)
      } else {
        roots.append(index)
      }
      if places[step.id] == nil { places[step.id] = index }
    }
    for index in steps.indices.reversed() {
      guard let parent = parents[index] else { continue }
      countsWithin[parent] += countsWithin[index] + (steps[index].kind == .branch ? 0 : 1)
    }
  }

  /// Returns true if a step contains branches, which are drawn beside each other: those of cases or of a parallel step.
  func isSplit(_ index: Int) -> Bool {
    switch steps[index].kind {
    case .cases, .parallel: true
    default: false
    }
  }
}

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
