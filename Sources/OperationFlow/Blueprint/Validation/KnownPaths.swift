/// What is known about the data bucket on the paths that lead to a place.
///
/// Paths are distinguished by the branches that were taken on them, so that a step after a branch isn't blamed for what
/// is missing if another branch is taken. Beyond a limit they no longer are, and where they differ, nothing is known.
struct KnownPaths: Sendable {
  private static let limit = 32

  private var paths: [KnownData]

  /// Creates a value for a place that no path leads to.
  init() { paths = [] }

  init(_ paths: [KnownData]) {
    var groups: [[KnownData]] = []
    var places: [[String: HeldValue]: Int] = [:]
    for path in paths {
      if let place = places[path.held] {
        groups[place].append(path)
      } else {
        places[path.held] = groups.count
        groups.append([path])
      }
    }
    let kept = groups.compactMap { KnownData.merging($0) }
    self.paths = kept.count > Self.limit ? KnownData.blurring(kept).map { [$0] } ?? [] : kept
  }

  /// What is known on all of them; `nil` if no path leads here.
  var merged: KnownData? { paths.count == 1 ? paths.first : KnownData.merging(paths) }

  @inline(never)
  mutating func update(_ change: (inout KnownData) -> Void) {
    for index in paths.indices { change(&paths[index]) }
    // Once nothing is known, the paths are all the same.
    if paths.count > 1, paths.allSatisfy(\.isBlank) { self = KnownPaths(paths) }
  }

  /// The same, ready for branches that begin here.
  func shared(among branchCount: Int) -> KnownPaths {
    var shared = self
    for index in paths.indices { shared.paths[index].share(among: branchCount) }
    return shared
  }

  /// The paths on which a branch's condition holds.
  @inline(never)
  func taking(_ condition: FlowCase) -> KnownPaths { KnownPaths(paths.flatMap { $0.taking(condition) }) }

  /// Continues on the paths on which a branch isn't taken.
  mutating func exclude(_ condition: FlowCase) {
    var isOver: [Int] = []
    for index in paths.indices where !paths[index].exclude(condition) { isOver.append(index) }
    for index in isOver.reversed() { paths.remove(at: index) }
  }

  /// Combines the paths of all of them, keeping only what their branches reveal about the keys in `keys`.
  static func joining(_ all: [KnownPaths], keeping keys: Set<String>) -> KnownPaths {
    KnownPaths(
      all.flatMap(\.paths).map { path in
        var path = path
        path.forgetValues(except: keys)
        return path
      })
  }

  /// What is known when several branches have run at the same time, each from the same start.
  static func concurrently(_ start: KnownPaths, _ ends: [KnownPaths]) -> KnownPaths {
    let known = ends.compactMap(\.merged)
    guard let before = start.merged, known.count == ends.count else { return KnownPaths([]) }
    return KnownPaths([.concurrently(before, known)])
  }
}
