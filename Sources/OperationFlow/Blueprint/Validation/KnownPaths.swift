/// What is known about the data bucket on the paths that lead to a place, up to a limit each by itself.
///
/// So a step after a branch isn't blamed for what is missing if another branch is taken.
struct KnownPaths: Sendable {
  private static let limit = 32

  private var paths: [KnownData]

  /// The paths to a place; none for one that no path leads to.
  ///
  /// Those that a later step can't tell apart become one: by a value, by the branch taken before branches that run at once,
  /// or by whether one of the `keys` is there, or any may be.
  init(_ paths: [KnownData] = [], telling keys: Set<String> = []) {
    var groups: [[KnownData]] = []
    for path in paths {
      if let group = groups.firstIndex(where: { $0[0].isLike(path, telling: keys) }) {
        groups[group].append(path)
      } else if groups.count < Self.limit {
        groups.append([path])
      } else {
        self.paths = KnownData.blurring(paths).map { [$0] } ?? []
        return
      }
    }
    self.paths = groups.compactMap { KnownData.merging($0) }
  }

  /// What is known on all of them; `nil` if no path leads here.
  var merged: KnownData? { KnownData.merging(paths) }

  mutating func update(_ change: (inout KnownData) -> Void) {
    for index in paths.indices { change(&paths[index]) }
    // Once nothing is known, the paths are all the same.
    if paths.count > 1, paths.allSatisfy(\.isBlank) { self = KnownPaths(paths) }
  }

  func shared(among branchCount: Int) -> KnownPaths {
    var shared = self
    for index in paths.indices { shared.paths[index].share(among: branchCount) }
    return shared
  }

  /// The same paths for branches that run at the same time, numbered so that what each branch does on them can be found.
  var numbered: KnownPaths {
    var numbered = self
    for index in paths.indices { numbered.paths[index].number = index }
    return numbered
  }

  func taking(_ condition: FlowCase, keeping keys: ComparedKeys) -> KnownPaths {
    KnownPaths(paths.flatMap { $0.taking(condition) }, telling: keys.written)
  }

  /// Continues on the paths on which a branch isn't taken; a key that only these cases compare need not be remembered.
  mutating func exclude(_ condition: FlowCase, keeping keys: ComparedKeys) {
    guard let key = condition.key, keys.shared.contains(key) else { return }
    for index in paths.indices.reversed() where !paths[index].exclude(condition) { paths.remove(at: index) }
  }

  mutating func exclude(_ cases: Blueprint.Cases, keeping keys: ComparedKeys) {
    for branch in cases.branches { exclude(branch.condition, keeping: keys) }
    paths.removeAll { cases.mustMatch(in: $0) }
  }

  /// Continues on the paths on which a step's condition is met.
  ///
  /// One that compares no key with a value may check whatever the step needs, so nothing is known to be missing.
  mutating func take(_ condition: StepCondition, keeping keys: ComparedKeys) {
    if let flowCase = condition.flowCase { return self = taking(flowCase, keeping: keys) }
    if let input = condition.input { paths.removeAll { !$0.mayHold(input.name) } }
    update { $0 = $0.doubted }
    if let input = condition.input { update { $0.assume(input.name, input.type ?? Any.self, input.accepts) } }
  }

  /// Combines the paths of all of them, keeping only what their branches reveal about the keys in `keys`.
  static func joining(_ all: [KnownPaths], keeping keys: ComparedKeys) -> KnownPaths {
    KnownPaths(all.flatMap(\.paths).map { $0.remembering(keys.shared) }, telling: keys.written)
  }

  /// What is known when several branches have run at the same time, each from the same start, which they have numbered.
  static func concurrently(_ start: KnownPaths, _ ends: [KnownPaths], keeping keys: ComparedKeys) -> KnownPaths {
    let paths = start.paths.enumerated().flatMap { number, before in
      combining(before, ends.map { $0.paths.filter { $0.number == nil || $0.number == number } }, keys.shared)
    }
    return KnownPaths(paths, telling: keys.written)
  }

  /// What is known on each path of a branch with each of the others, if a run can take them all; up to a limit.
  private static func combining(_ before: KnownData, _ ends: [[KnownData]], _ keys: Set<String>) -> [KnownData] {
    // What one branch reveals about a value is true for all, unless one of them changes it: then it is if no other one does.
    var kept = keys
    var changedTwice = Set<String>()
    let changed = ends.map { paths in
      keys.filter { key in paths.contains { path in !path.keeps(key, since: before) } }
    }
    for key in changed.joined() where kept.remove(key) == nil { changedTwice.insert(key) }
    var combined = [before]
    for (all, changed) in zip(ends, changed) {
      var told = kept
      for key in changed where !changedTwice.contains(key) { told.insert(key) }
      let paths = combined.count * all.count <= limit ? all : KnownData.blurring(all).map { [$0] } ?? []
      var starts = exchange(&combined, with: [])
      while var known = starts.popLast() {
        let allowed = paths.filter { known.allows($0, keeping: kept) }
        for path in allowed.dropLast() {
          var other = known
          other.take(path, since: before, changing: changed, telling: told)
          combined.append(other)
        }
        // The last one changes what nothing else holds, so that a branch takes no longer if there are many.
        guard let last = allowed.last else { continue }
        known.take(last, since: before, changing: changed, telling: told)
        combined.append(known)
      }
    }
    let isDoubted = ends.joined().contains { $0.number == nil }
    let isForgotten = ends.contains { $0.allSatisfy(\.isBlank) }
    if isDoubted { for index in combined.indices { combined[index].forgetPath(andAll: isForgotten) } }
    return combined
  }
}

/// The keys that cases and conditions compare, as far as paths have to be told apart by them.
struct ComparedKeys: Sendable {
  /// Those that more than one step compares, so that these depend on each other.
  private(set) var shared: Set<String> = []
  /// Those that a step writes, so that they may be there on one path and missing on another.
  private(set) var written: Set<String> = []

  init(_ blueprint: Blueprint, _ facts: BlueprintFacts) {
    // Without conditions, only steps that contain others compare keys.
    guard blueprint.has(.traits) || !blueprint.hasOnlyWork else { return }
    var all: Set<String> = []
    for step in blueprint.steps {
      compare((step.options?.conditions ?? []).compactMap { $0.input?.name }, &all)
      if case .cases(let cases) = step.kind { compare(cases.branches.compactMap(\.condition.key), &all) }
    }
    if all.isEmpty { return }
    for (step, ports) in zip(blueprint.steps, facts.ports) {
      for port in ports.outputs + ports.itemWrites where all.contains(port.name) { written.insert(port.name) }
      if case .flow(_, let data, _) = step.kind { written.formUnion(data.keys.filter(all.contains)) }
    }
  }

  private mutating func compare(_ keys: [String], _ all: inout Set<String>) {
    for key in Set(keys) where !all.insert(key).inserted { shared.insert(key) }
  }
}
