/// What is known about the data bucket on the paths that lead to a place, up to a limit each by itself.
///
/// So a step after a branch isn't blamed for what is missing if another branch is taken.
struct KnownPaths: Sendable {
  private static let limit = 32

  private var paths: [KnownData]

  /// The paths to a place; none for one that no path leads to.
  init(_ paths: [KnownData] = []) {
    var groups: [[KnownData]] = []
    for path in paths {
      if let group = groups.firstIndex(where: { $0[0].held == path.held }) {
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

  @inline(never)
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

  @inline(never)
  func taking(_ condition: FlowCase) -> KnownPaths { KnownPaths(paths.flatMap { $0.taking(condition) }) }

  /// Continues on the paths on which a branch isn't taken; a key that only these cases compare need not be remembered.
  mutating func exclude(_ condition: FlowCase, keeping keys: Set<String>) {
    guard let key = condition.key, keys.contains(key) else { return }
    for index in paths.indices.reversed() where !paths[index].exclude(condition) { paths.remove(at: index) }
  }

  /// Continues on the paths on which a step's conditions are met.
  ///
  /// One that compares no key with a value may check whatever the step needs, so nothing is known to be missing.
  mutating func take(_ conditions: [StepCondition]) {
    if conditions.contains(where: { $0.flowCase == nil }) { update { $0.doubtAll() } }
    for condition in conditions {
      if let flowCase = condition.flowCase {
        self = taking(flowCase)
      } else if let input = condition.input {
        update { $0.assume(input.name, input.type ?? Any.self, input.accepts) }
      }
    }
  }

  /// Combines the paths of all of them, keeping only what their branches reveal about the keys in `keys`.
  static func joining(_ all: [KnownPaths], keeping keys: Set<String>) -> KnownPaths {
    KnownPaths(all.flatMap(\.paths).map { $0.remembering(keys) })
  }

  /// What is known when several branches have run at the same time, each from the same start.
  static func concurrently(_ start: KnownPaths, _ ends: [KnownPaths]) -> KnownPaths {
    let known = ends.compactMap(\.merged)
    guard let before = start.merged, known.count == ends.count else { return KnownPaths() }
    return KnownPaths([.concurrently(before, known)])
  }
}
