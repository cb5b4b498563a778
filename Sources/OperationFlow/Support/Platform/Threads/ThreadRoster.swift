/// Decides how many threads work for a pool: as many as are useful, and one more for each that is blocked.
///
/// A plain value that knows nothing of threads. A member is called, comes, works, rests, and is called again or leaves.
struct ThreadRoster: Sendable {
  private enum Phase: Sendable {
    /// It was called, as a new thread or from its rest.
    case called(isNew: Bool)
    case atWork, resting
  }

  private struct Member: Sendable {
    var phase: Phase
    /// Whether it was last seen waiting for something, and so leaves its processor to others.
    var isBlocked = false
  }

  /// A member that is needed.
  struct Call: Sendable {
    let id: SlabID
    /// Whether it is to be started; otherwise, it rests and is to be woken.
    let isNew: Bool
  }

  /// How many threads are useful at once: as many as there are processors.
  private let width: Int
  /// The largest number of members.
  private let limit: Int
  private var members = Slab<Member>()
  /// The member that has rested for the shortest time is last and is called first, so that the others may leave.
  private var resting: [SlabID] = []
  private var blockedCount = 0

  init(width: Int, limit: Int) {
    self.width = max(1, width)
    self.limit = max(1, limit)
  }

  /// The number of members.
  var count: Int { members.count }

  /// Whether no member can be added, and none is free.
  var isExhausted: Bool { members.count >= limit && resting.isEmpty }

  /// How many members use a processor, or are about to.
  private var runningCount: Int { members.count - resting.count - blockedCount }

  /// The members that are working.
  var atWork: [SlabID] { members.all.compactMap { if case .atWork = $0.value.phase { $0.id } else { nil } } }

  /// New members that have been called and have not come.
  var missing: [SlabID] {
    members.all.compactMap { if case .called(isNew: true) = $0.value.phase { $0.id } else { nil } }
  }

  func isBlocked(_ id: SlabID) -> Bool { members[id]?.isBlocked ?? false }

  // MARK: Calling

  /// Calls as many members as are missing from the useful number, for `waiting` jobs.
  mutating func call(for waiting: Int) -> [Call] { call(min(waiting, width - runningCount)) }

  /// Calls a member that rests, if one more is useful.
  mutating func wake() -> SlabID? {
    guard runningCount < width, let id = resting.popLast() else { return nil }
    members.update(id) { $0.phase = .called(isNew: false) }
    return id
  }

  /// Calls more if too few members at work make progress: as many as are blocked, so that their number doubles.
  mutating func callMore(for waiting: Int) -> [Call] {
    let missing = width - runningCount
    return missing > 0 ? call(min(waiting, max(missing, blockedCount))) : []
  }

  /// Calls one member, no matter how many are at work.
  mutating func callOne() -> [Call] { call(1) }

  private mutating func call(_ count: Int) -> [Call] {
    var calls: [Call] = []
    while calls.count < count {
      if let id = resting.popLast() {
        members.update(id) { $0.phase = .called(isNew: false) }
        calls.append(Call(id: id, isNew: false))
      } else if members.count < limit {
        calls.append(Call(id: members.insert(Member(phase: .called(isNew: true))), isNew: true))
      } else {
        break
      }
    }
    return calls
  }

  // MARK: What members do

  /// A new member has come; false if it has no place, because another thread came instead.
  mutating func come(_ id: SlabID) -> Bool {
    guard case .called(isNew: true)? = members[id]?.phase else { return false }
    members.update(id) { $0.phase = .atWork }
    return true
  }

  /// A member takes up a job.
  mutating func work(_ id: SlabID) {
    note(id, isBlocked: false)
    members.update(id) { $0.phase = .atWork }
  }

  /// A member has found nothing to do.
  mutating func rest(_ id: SlabID) {
    note(id, isBlocked: false)
    members.update(id) { $0.phase = .resting }
    resting.append(id)
  }

  /// A member has rested for a long time; false if it has been called in the meantime.
  mutating func leave(_ id: SlabID) -> Bool {
    guard let index = resting.firstIndex(of: id) else { return false }
    resting.remove(at: index)
    _ = members.remove(id)
    return true
  }

  /// A member was seen to be blocked, or not blocked.
  mutating func note(_ id: SlabID, isBlocked: Bool) {
    guard let member = members[id], member.isBlocked != isBlocked else { return }
    if isBlocked {
      guard case .atWork = member.phase else { return }
    }
    members.update(id) { $0.isBlocked = isBlocked }
    blockedCount += isBlocked ? 1 : -1
  }
}
