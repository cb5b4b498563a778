/// The runs that a supervisor looks at next, each once, in their order.
struct ReadyRuns: Sendable {
  private var queue: [String] = []
  private var members: Set<String> = []

  func contains(_ id: String) -> Bool { members.contains(id) }

  mutating func append(_ id: String) {
    if members.insert(id).inserted { queue.append(id) }
  }

  mutating func remove(_ id: String) {
    if members.remove(id) != nil { queue.removeAll { $0 == id } }
  }

  /// Removes and returns the first runs for which a function returns true, at most `count`.
  mutating func take(_ count: Int, where mayBegin: (String) -> Bool) -> [String] {
    var (taken, kept, place): ([String], [String], Int) = ([], [], 0)
    while place < queue.count, taken.count < count {
      if mayBegin(queue[place]) { taken.append(queue[place]) } else { kept.append(queue[place]) }
      place += 1
    }
    queue.replaceSubrange(..<place, with: kept)
    members.subtract(taken)
    return taken
  }
}
