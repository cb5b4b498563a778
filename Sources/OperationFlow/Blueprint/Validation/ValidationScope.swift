/// A part of a blueprint that is being walked by a validation, and continues when its inner parts have been walked.
///
/// The parts are objects, so that what they collect is changed in place and never copied.
enum ValidationScope {
  case block(ValidatedBlock)
  case cases(ValidatedCases)
  case parallel(ValidatedParallel)
}

/// Steps that run one after another.
final class ValidatedBlock {
  let block: Blueprint.BlockID
  /// The index of the next step.
  var next = 0
  /// The step whose contents are being walked.
  var entered: Blueprint.StepID?
  var paths: KnownPaths
  /// What is known after the current step if its conditions skip it; `nil` if it has none.
  var pathsOfSkipping: KnownPaths?
  /// The names that are written in other branches of cases that aren't combined.
  let namesOfOtherBranches: Set<String>

  /// Returns what is known and forgets it, for the contents of the current step.
  func takePaths() -> KnownPaths {
    defer { paths = KnownPaths() }
    return paths
  }

  init(_ block: Blueprint.BlockID, _ paths: KnownPaths, namesOfOtherBranches: Set<String>) {
    self.block = block
    self.paths = paths
    self.namesOfOtherBranches = namesOfOtherBranches
  }
}

/// Branches, one of which is taken.
final class ValidatedCases {
  private let cases: Blueprint.Cases
  private let sharedKeys: Set<String>
  /// The conditions seen so far; if several branches have the same one, the first is taken.
  private var seen = SeenConditions()
  private var next = 0
  /// The paths on which none of the earlier branches is taken.
  private var remaining: KnownPaths
  private var namesOfOtherBranches: Set<String>
  /// The paths on which no condition is true.
  private let others: KnownPaths
  private let isAlwaysMatched: Bool
  /// What is known when the branches begin.
  private let start: KnownData?
  private(set) var outcomes: [KnownPaths] = []

  init(
    _ cases: Blueprint.Cases, _ paths: KnownPaths, _ sharedKeys: Set<String>, _ namesOfOtherBranches: Set<String>
  ) {
    self.cases = cases
    self.sharedKeys = sharedKeys
    self.namesOfOtherBranches = namesOfOtherBranches
    let paths = paths.shared(among: cases.branches.count)
    start = cases.areCombined ? nil : paths.merged
    remaining = paths
    var others = paths
    isAlwaysMatched = cases.alwaysMatch(in: cases.coverAllValues ? paths.merged : nil)
    for branch in cases.branches { Self.exclude(branch.condition, from: &others, sharedKeys) }
    self.others = others
  }

  /// A key that only these cases compare need not be remembered, because no branch repeats its condition.
  private static func exclude(_ condition: FlowCase, from paths: inout KnownPaths, _ sharedKeys: Set<String>) {
    if let key = condition.key, sharedKeys.contains(key) { paths.exclude(condition) }
  }

  var hasBegun: Bool { next > 0 }

  /// The paths on which no branch is taken; `nil` if one always is.
  var unmatched: KnownPaths? { isAlwaysMatched ? nil : others }

  func nextBranch() -> ValidatedBlock? {
    while next < cases.branches.count {
      let branch = cases.branches[next]
      next += 1
      guard seen.insert(branch.condition) else { continue }
      let paths = branch.condition == .otherwise ? others : remaining.taking(branch.condition)
      Self.exclude(branch.condition, from: &remaining, sharedKeys)
      return ValidatedBlock(branch.block, paths, namesOfOtherBranches: namesOfOtherBranches)
    }
    return nil
  }

  func endBranch(_ end: KnownPaths, keeping keys: Set<String>) {
    if let start, let end = end.merged { namesOfOtherBranches.formUnion(end.namesWrittenBySteps(since: start)) }
    outcomes.append(.joining([end], keeping: keys))
  }
}

/// The conditions of a cases step's branches, to find those that can never be met.
struct SeenConditions {
  private var seen: [String: Set<CaseValue>] = [:]
  private var hasOtherwise = false

  /// Adds a condition; false if an earlier branch is taken whenever it is met.
  mutating func insert(_ condition: FlowCase) -> Bool {
    guard let key = condition.key else {
      defer { hasOtherwise = true }
      return !hasOtherwise
    }
    return condition.values.reduce(false) { seen[key, default: []].insert($1).inserted || $0 }
  }
}

extension Blueprint.Cases {
  /// Whether one of the branches is certain to be taken.
  func alwaysMatch(in known: KnownData?) -> Bool {
    if branches.contains(where: { $0.condition == .otherwise }) { return true }
    guard coverAllValues, let key = branches.first?.condition.key else { return false }
    // A key that is missing has none of its type's values.
    return known?[key]?.isMissingSomewhere != true
  }
}

/// Branches that run at the same time and then join.
final class ValidatedParallel {
  let branches: [Blueprint.ParallelBranch]
  let start: KnownPaths
  let namesOfOtherBranches: Set<String>
  var next = 0
  var ends: [KnownPaths] = []

  init(_ branches: [Blueprint.ParallelBranch], _ start: KnownPaths, _ namesOfOtherBranches: Set<String>) {
    self.branches = branches
    self.start = start.shared(among: branches.count)
    self.namesOfOtherBranches = namesOfOtherBranches
  }
}
