#if !canImport(Darwin)
  import Foundation

  /// Decides how many threads work for a pool: as many as are useful, and one more for each that is blocked.
  ///
  /// It makes no threads itself. A member is called, works, rests, and is called again or leaves.
  struct ThreadRoster: Sendable {
    /// A thread of the pool, from when it is first called until it leaves.
    final class Member: @unchecked Sendable {
      // Invariant: `lastSeen` is used by the watch's thread only, and the other variables only under the lock that guards
      // the roster.
      /// What it waits for while it rests.
      let bell = DispatchSemaphore(value: 0)
      /// What observes it; `nil` until its thread has begun.
      var probe: ThreadProbe?
      fileprivate(set) var isAtWork = false
      /// Whether it was last seen waiting for something, and so leaves its processor to others.
      fileprivate(set) var isBlocked = false
      /// What the watch has seen of it last, and the number of that look.
      var lastSeen: (look: Int, sample: ThreadProbe.Sample)?
    }

    /// A member that is needed: a new one is to be started, any other rests and is to be woken.
    typealias Call = (member: Member, isNew: Bool)

    /// How many threads are useful at once: as many as there are processors.
    private let width: Int
    private let limit: Int
    private var members: [Member] = []
    /// The member that has rested for the shortest time is last and is called first, so that the others may leave.
    private var resting: [Member] = []
    private var blockedCount = 0

    init(width: Int, limit: Int) {
      self.width = max(1, width)
      self.limit = max(1, limit)
    }

    var count: Int { members.count }

    /// Whether no member can be added, and none is free.
    var isExhausted: Bool { members.count >= limit && resting.isEmpty }

    /// How many members use a processor, or are about to.
    private var runningCount: Int { members.count - resting.count - blockedCount }

    var atWork: [Member] { members.filter(\.isAtWork) }

    // MARK: Calling

    /// Calls as many members as are missing from the useful number, for `waiting` jobs.
    mutating func call(for waiting: Int) -> [Call] { call(min(waiting, width - runningCount)) }

    /// Calls a member that rests, if one more is useful.
    mutating func wake() -> Member? { runningCount < width ? resting.popLast() : nil }

    /// Calls more if too few members at work make progress: as many as are blocked, so that their number doubles.
    mutating func callMore(for waiting: Int) -> [Call] {
      let missing = width - runningCount
      return missing > 0 ? call(min(waiting, max(missing, blockedCount))) : []
    }

    /// Calls so many members, no matter how many are at work.
    mutating func call(_ count: Int) -> [Call] {
      var calls: [Call] = []
      while calls.count < count {
        if let member = resting.popLast() {
          calls.append((member, isNew: false))
        } else if members.count < limit {
          let member = Member()
          members.append(member)
          calls.append((member, isNew: true))
        } else {
          break
        }
      }
      return calls
    }

    // MARK: What members do

    mutating func work(_ member: Member) {
      note(member, isBlocked: false)
      member.isAtWork = true
    }

    /// A member has found nothing to do.
    mutating func rest(_ member: Member) {
      note(member, isBlocked: false)
      member.isAtWork = false
      resting.append(member)
    }

    /// A member has rested for a long time; false if it has been called in the meantime.
    mutating func leave(_ member: Member) -> Bool {
      guard let index = resting.firstIndex(where: { $0 === member }) else { return false }
      resting.remove(at: index)
      members.removeAll { $0 === member }
      return true
    }

    mutating func note(_ member: Member, isBlocked: Bool) {
      guard member.isBlocked != isBlocked, member.isAtWork else { return }
      member.isBlocked = isBlocked
      blockedCount += isBlocked ? 1 : -1
    }
  }
#endif
