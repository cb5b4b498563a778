/// What is known of the data bucket on the paths that lead to a place.
///
/// Paths are told apart by the branches that were taken on them, so that a step behind a branch is not held to what is
/// missing if another one was taken. Beyond a limit they no longer are, and what differs among them is not known.
struct KnownPaths: Sendable {
  private static let limit = 32

  private var paths: [KnownData]

  /// No path leads there.
  init() { paths = [] }

  init(_ paths: [KnownData]) {
    var groups: [[KnownData]] = []
    var places: [[String: HeldString]: Int] = [:]
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

  /// What is known over all of them; `nil` if no path leads here.
  var merged: KnownData? { paths.count == 1 ? paths.first : KnownData.merging(paths) }

  mutating func update(_ change: (inout KnownData) -> Void) {
    for index in paths.indices { change(&paths[index]) }
    // Once nothing is known, the paths are all the same.
    if paths.count > 1, paths.allSatisfy(\.isBlank) { self = KnownPaths(paths) }
  }

  /// The paths on which a branch's condition holds.
  func taking(_ condition: FlowCase) -> KnownPaths { KnownPaths(paths.compactMap { $0.taking(condition) }) }

  /// Goes on where a branch is not taken.
  mutating func exclude(_ condition: FlowCase) {
    guard let key = condition.key else { return }
    var isOver: [Int] = []
    for index in paths.indices where !paths[index].exclude(condition.value, under: key) { isOver.append(index) }
    for index in isOver.reversed() { paths.remove(at: index) }
  }

  /// The paths of all of them, of whose branches only what the keys hold is of use from here on.
  static func joining(_ all: [KnownPaths], keeping keys: Set<String>) -> KnownPaths {
    KnownPaths(
      all.flatMap(\.paths).map { path in
        var path = path
        path.forgetStrings(except: keys)
        return path
      })
  }

  /// What is known when all of several branches have run at once, each from the same beginning.
  static func concurrently(_ start: KnownPaths, _ ends: [KnownPaths]) -> KnownPaths {
    let known = ends.compactMap(\.merged)
    guard let before = start.merged, known.count == ends.count else { return KnownPaths([]) }
    return KnownPaths([.concurrently(before, known)])
  }
}
