import TestSupport
import Testing

@testable import OperationFlow

#if !canImport(Darwin)
  @Suite(.watched) struct ThreadRosterTests {
    /// A roster in a class, so that `#expect` can change it; arguments set how many jobs wait.
    private final class Roster {
      private let job = ThreadRoster.Job {}
      private var roster = ThreadRoster(width: 2, limit: 100)

      var count: Int { roster.members.count }
      var atWork: [ThreadRoster.Member] { roster.members.filter(\.isAtWork) }

      private func wait(for count: Int) {
        roster.jobs = Fifo()
        for _ in 0..<count { roster.jobs.append(job) }
      }

      func call(for waiting: Int) -> [ThreadRoster.Call] {
        wait(for: 0)
        return roster.add(job, waiting).calls
      }

      func callMore(for waiting: Int) -> [ThreadRoster.Call] {
        wait(for: waiting)
        return roster.callMore([], inAnyCase: false)
      }

      func callOne() -> [ThreadRoster.Call] {
        wait(for: 0)
        return roster.callMore([], inAnyCase: true)
      }

      func wake() -> ThreadRoster.Member? {
        wait(for: 0)
        let call = roster.add(job, 1).calls.first
        return call?.isNew == false ? call?.member : nil
      }

      func work(_ member: ThreadRoster.Member) {
        wait(for: 1)
        _ = roster.takeJob(as: member)
      }

      func rest(_ member: ThreadRoster.Member) {
        wait(for: 0)
        _ = roster.takeJob(as: member)
      }

      func leave(_ member: ThreadRoster.Member) -> Bool { roster.leave(member) }

      func note(_ member: ThreadRoster.Member, isBlocked: Bool) {
        wait(for: 0)
        _ = roster.callMore([(member, isBlocked)], inAnyCase: false)
      }
    }

    private let roster = Roster()

    /// Makes each called member accept a job.
    private func begin(_ calls: [ThreadRoster.Call]) {
      for call in calls { roster.work(call.member) }
    }

    private func blockAll() {
      for member in roster.atWork { roster.note(member, isBlocked: true) }
    }

    @Test func `as many are called as are useful, however many jobs there are`() {
      #expect(roster.call(for: 1).count == 1)
      #expect(roster.call(for: 10).count == 1)
      #expect(roster.call(for: 10).isEmpty && roster.count == 2)
    }

    @Test func `nobody is called beside those who get on`() {
      begin(roster.call(for: 10))
      #expect(roster.callMore(for: 8).isEmpty)
      #expect(roster.callOne().count == 1)
    }

    @Test func `if all are blocked, their number doubles, up to the jobs that wait and to the limit`() {
      begin(roster.call(for: 10))
      var counts: [Int] = []
      for _ in 0..<8 {
        blockAll()
        begin(roster.callMore(for: 40))
        counts.append(roster.count)
      }
      #expect(counts == [4, 8, 16, 32, 64, 100, 100, 100])
      #expect(roster.callMore(for: 1).isEmpty)
    }

    @Test func `for one job that waits behind those who are blocked, one is called`() {
      begin(roster.call(for: 2))
      blockAll()
      #expect(roster.callMore(for: 1).count == 1)
      #expect(roster.call(for: 1).count == 1)
      #expect(roster.call(for: 1).isEmpty)
    }

    @Test func `those who rest are called first, the last of them before the others`() {
      let calls = roster.call(for: 2)
      begin(calls)
      for call in calls { roster.rest(call.member) }
      let again = roster.call(for: 1) + roster.call(for: 1)
      #expect(again.map { $0.member === calls[1].member } == [true, false] && !again.contains { $0.isNew })
      #expect(again[1].member === calls[0].member)
      #expect(roster.count == 2 && roster.atWork.isEmpty)
    }

    @Test func `one who has rested leaves, unless it has been called`() {
      let calls = roster.call(for: 2)
      begin(calls)
      for call in calls { roster.rest(call.member) }
      _ = roster.call(for: 1)
      #expect(!roster.leave(calls[1].member))
      #expect(roster.leave(calls[0].member) && roster.count == 1)
      #expect(!roster.leave(calls[0].member))
    }

    @Test func `one who goes on to a job or to rest is blocked no longer`() {
      begin(roster.call(for: 2))
      blockAll()
      let members = roster.atWork
      roster.work(members[0])
      roster.rest(members[1])
      #expect(members.allSatisfy { !$0.isBlocked })
      // The note is late: the member rests already.
      roster.note(members[1], isBlocked: true)
      #expect(!members[1].isBlocked && roster.call(for: 5).count == 1)
    }

    @Test func `a member that rests is woken if one more is useful, and no other is called for it`() throws {
      begin(roster.call(for: 2))
      let (first, last) = (roster.atWork[0], roster.atWork[1])
      #expect(roster.wake() === nil)
      roster.rest(first)
      roster.rest(last)
      #expect(roster.wake() === last && roster.wake() === first && roster.wake() === nil)
      #expect(roster.count == 2 && !roster.leave(first) && !roster.leave(last))
      roster.work(first)
      roster.note(first, isBlocked: true)
      roster.work(last)
      roster.rest(last)
      #expect(roster.wake() === last && roster.count == 2)
    }
  }
#endif
