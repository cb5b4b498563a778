import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Calls that read, change and notify the runs of a store that fails at each of its own calls in turn.
@Suite(.watched) struct TroubledCallTests {
  private static let number: FlowSignal<Int> = "number"

  /// A store that has had a supervisor, with a run that waits, one that has failed and one that has succeeded.
  private struct World: Sendable {
    let ids = (waiting: "waiting \(UUID())", failed: "failed \(UUID())", ended: "ended \(UUID())")
    let journals: [String: [Data]]
    let waiting: Flow
    let failed: Flow
    let isBroken = Locked(true)
    let undone = Tally()

    init() async throws {
      waiting = Flow("Waiting").add("a", .undo { [undone] _ in undone.add() }) { _ in }.wait(for: number)
      failed = Flow("Failed").add("b") { [isBroken] _ in
        if isBroken.withLock({ $0 }) { throw TestError(name: "broken") }
      }
      let store = MemoryFlowStore()
      try store.openJournal(of: Mailbox.supervisor).journal.close()
      let supervisor = FlowSupervisor(store, flows: [waiting])
      try await SupervisorTests.supervising(supervisor) { [ids] in
        try await supervisor.begin(ids.waiting, of: "Waiting")
        while supervisor.status.waitingCount < 1 { await Task.yield() }
      }
      _ = await failed.run(id: ids.failed, in: store)
      _ = await Flow("Ended").add("c") { _ in }.run(id: ids.ended, in: store)
      isBroken.withLock { $0 = false }
      journals = store.journals
    }
  }

  /// A call of a store, and the check of what has become of it.
  private struct Call: Sendable {
    let name: String
    /// Makes the call, and returns its result as text.
    let body: @Sendable (HookedStore, World) async throws -> String
    /// True if a run that can't be read hides no other, and is no error.
    let mayBePartial: Bool
    /// Returns true if the call has done what it is for, and no more.
    let isDone: @Sendable (HookedStore, World) async throws -> Bool

    init(
      name: String, mayBePartial: Bool = false, _ body: @escaping @Sendable (HookedStore, World) async throws -> String,
      isDone: @escaping @Sendable (HookedStore, World) async throws -> Bool = { _, _ in true }
    ) {
      (self.name, self.mayBePartial, self.body, self.isDone) = (name, mayBePartial, body, isDone)
    }
  }

  private static let calls: [Call] = [
    Call(name: "send") { store, world in
      try await store.send(number, 7, to: world.ids.waiting, messageID: "m")
      return ""
    } isDone: { store, world in
      let outcome = await world.waiting.run(id: world.ids.waiting, in: store)
      return outcome.isSuccess && outcome.report[number.key] == 7
    },
    Call(name: "send early") { store, world in
      try await store.send(number, 7, to: "new", messageID: "m", beforeItBegins: true)
      return ""
    } isDone: { store, world in
      await world.waiting.run(id: "new", in: store).report[number.key] == 7
    },
    Call(name: "cancel") { store, world in
      try await store.cancel(world.ids.waiting)
      return ""
    } isDone: { store, world in
      let before = world.undone.count
      let outcome = await world.waiting.run(id: world.ids.waiting, in: store)
      return outcome.isCancelled && world.undone.count == before + 1
    },
    Call(name: "retry") { store, world in
      try await store.retry(world.ids.failed)
      return ""
    } isDone: { store, world in
      let outcome = await world.failed.run(id: world.ids.failed, in: store)
      return outcome.isSuccess && !outcome.hadEnded && outcome.report.steps.map(\.attempts) == [2]
    },
    Call(name: "run again") { store, world in
      let outcome = await world.failed.run(id: world.ids.failed, in: store, retryingFailure: true)
      if let error = outcome.error { throw error }
      return ""
    } isDone: { store, world in
      let outcome = await world.failed.run(id: world.ids.failed, in: store)
      return outcome.isSuccess && outcome.hadEnded && outcome.report.steps.map(\.attempts) == [2]
    },
    Call(name: "remove") { store, world in
      try await store.remove(world.ids.ended)
      return ""
    } isDone: { store, world in
      store.memory.journals[world.ids.ended] == nil && store.memory.journals.count == world.journals.count - 1
    },
    Call(name: "remove unfinished") { store, world in
      try await store.remove(world.ids.waiting, evenIfUnfinished: true)
      return ""
    } isDone: { store, world in
      store.memory.journals[world.ids.waiting] == nil && store.memory.journals.count == world.journals.count - 1
    },
    Call(name: "remove all", mayBePartial: true) { store, world in
      // A run that can't be read may not have ended.
      try await store.removeEnded(before: .distantFuture)
      return "\(store.memory.runIDs())"
    } isDone: { store, world in
      store.memory.runIDs() == [world.ids.waiting]
    },
    Call(name: "runs", mayBePartial: true) { store, _ in "\(try await store.runs())" },
    Call(name: "unfinished", mayBePartial: true) { store, _ in "\(try await store.unfinished())" },
    Call(name: "one run", mayBePartial: true) { store, world in
      "\(String(describing: try await store.storedRun(world.ids.ended)))"
    },
    Call(name: "record") { store, world in
      "\(String(describing: try await store.record(of: world.ids.ended)?.steps))"
    },
  ]

  @Test(arguments: calls.indices)
  func `a call that meets a store's failure has an error with a remedy, and succeeds the next time`(_ index: Int)
    async throws
  {
    let (call, world) = (Self.calls[index], try await World())
    let expected = try await call.body(HookedStore(world.journals), world)
    for first in 1... {
      let calls = FailingCalls(from: first, .once)
      let store = HookedStore(world.journals) { $0.calling = calls.check }
      let place = "\(call.name), call \(first)"
      var isRepeated = false
      do {
        let result = try await call.body(store, world)
        if calls.failureCount == 0 {
          #expect(first > 1 && result == expected, "\(place)")
          break
        }
        isRepeated = result != expected
        #expect(!isRepeated || call.mayBePartial, "\(place): \(result)")
      } catch let error as FlowError {
        #expect(error.code == .storeFailed && !error.remedy.isEmpty, "\(place): \(error)")
        #expect(error.problem.contains("TestError(no "), "\(place): \(error)")
        isRepeated = !error.problem.contains("was retried") || call.name == "run again"
      } catch {
        Issue.record("\(place): it has no remedy: \(error)")
        isRepeated = true
      }
      #expect(store.openCount == 0, "\(place)")
      if isRepeated {
        do { #expect(try await call.body(store, world) == expected, "\(place)") } catch {
          Issue.record("\(place): again \(error)")
        }
      }
      #expect(try await call.isDone(store, world), "\(place)")
      #expect(store.openCount == 0, "\(place)")
    }
  }

  @Test func `a bell that has rung and can't be made shorter fails no send`() async throws {
    let (world, tries) = (try await World(), Tally())
    var journals = world.journals
    journals[Mailbox.bell] = (1...2_046).map { MailboxBell.Entry(number: $0, run: "other").data }
    let store = HookedStore(journals) { hooks in
      hooks.replacing = {
        tries.add()
        throw TestError(name: "full")
      }
    }
    try await store.send(Self.number, 7, to: world.ids.waiting)
    #expect(tries.count == 1 && store.memory.journals[Mailbox.bell]?.count == 2_048)
  }
}
