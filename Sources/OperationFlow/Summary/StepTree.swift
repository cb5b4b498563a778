/// The steps of a record as a tree of positions, so that nothing that is made of it needs recursion.
package struct StepTree: Sendable {
  /// The steps, each before those within it.
  package let steps: [FlowRecord.Step]
  /// The position of each step by its number.
  package let places: [Int: Int]
  /// The positions of the outermost steps.
  package private(set) var roots: [Int] = []
  /// The positions of the steps and branches directly within each step, in order.
  package private(set) var children: [[Int]]
  /// The position of the step or branch that contains each step; in a damaged record, a later one doesn't.
  package private(set) var parents: [Int?]
  /// The number of steps and branches that contain each step.
  package private(set) var depths: [Int]
  /// The number of steps within each step, at any depth; branches don't count.
  package private(set) var countsWithin: [Int]

  package init(_ record: FlowRecord) {
    steps = record.steps
    places = record.places
    let count = steps.count
    children = Array(repeating: [], count: count)
    parents = Array(repeating: nil, count: count)
    depths = Array(repeating: 0, count: count)
    countsWithin = Array(repeating: 0, count: count)
    for (place, step) in steps.enumerated() {
      if let parent = step.parent.flatMap({ places[$0] }), parent < place {
        parents[place] = parent
        depths[place] = depths[parent] + 1
        children[parent].append(place)
      } else {
        roots.append(place)
      }
    }
    for (place, step) in steps.enumerated().reversed() {
      guard let parent = parents[place] else { continue }
      countsWithin[parent] += countsWithin[place] + (step.kind == .branch ? 0 : 1)
    }
  }

  /// Returns true if a step contains branches, which are drawn beside each other: those of cases or of a parallel step.
  package func isSplit(_ place: Int) -> Bool {
    switch steps[place].kind {
    case .cases, .parallel: true
    default: false
    }
  }
}
