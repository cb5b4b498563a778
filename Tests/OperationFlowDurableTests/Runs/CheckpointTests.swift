import Foundation
import OperationFlow
import OperationFlowDurable
import TestSupport
import Testing

/// Runs during a checkpoint of their journals, and after one that fails.
@Suite(.watched) struct CheckpointTests {
  /// A flow whose journal is long enough for a checkpoint after its first step.
  private let flow = Flow("Checkpoint").add("large") { $0["large"] = String(repeating: "x", count: 2 << 20) }

  @Test func `a run with many entries is written and resumed without recursion`() async {
    let count = max(20_000, min(100_000, TestSettings.amount(30_000)))
    let flow = Flow("Long").forEach(in: 0..<count, width: 3) { _, _ in }
    // A store whose checkpoints fail.
    let store = HookedStore { $0.reading = { _ in throw TestError(name: "unreadable") } }
    #expect(await flow.run(id: "a", in: store, durability: .operatingSystem).isSuccess)
    let entries = store.memory.journals["a"] ?? []
    #expect(entries.count > count)
    let cut = MemoryFlowStore(["a": entries.dropLast()])
    #expect(await flow.run(id: "a", in: cut, durability: .operatingSystem).isSuccess)
  }

  @Test func `what settles while a checkpoint is made is in the journal at once`() async {
    let (began, release, counts, closings) = (Signal(), Signal(), Journal<Int>(), Journal<Int>())
    let store = HookedStore { hooks in
      hooks.replacing = {
        await began.fire(thenAwait: release)
      }
      hooks.closing = { closings.append($0) }
    }
    let flow = flow.forEach(in: 0..<100, width: 1) { number, _ in
      if number == 80 { await began.wait() }
      if number == 90 {
        counts.append(store.memory.journals["a"]?.count ?? 0)
        Task {
          // Meanwhile the run reaches its end, and has to wait for the checkpoint.
          for _ in 0..<1_000 { await Task.yield() }
          release.fire()
        }
      }
    }
    #expect(await flow.run(id: "a", in: store).isSuccess)
    // The beginning, the plan, and the earlier items.
    #expect((counts.entries.first ?? 0) >= 90)
    #expect(closings.entries.allSatisfy { $0 == 0 } && !closings.entries.isEmpty)
    #expect(await flow.run(id: "a", in: store.memory).isSuccess)
  }

  @Test func `a checkpoint that fails is a warning, and isn't tried at once again`() async {
    let tries = Tally()
    let store = HookedStore { hooks in
      hooks.replacing = {
        tries.add()
        throw TestError(name: "no room")
      }
    }
    let flow = flow.forEach(in: 0..<300, width: 1) { number, _ in
      if number == 80 { await tries.reach(1) }
    }
    let outcome = await flow.run(id: "a", in: store)
    #expect(outcome.isSuccess && tries.count == 1)
    #expect(
      outcome.report.events.contains {
        if case .warned(let text) = $0.kind { text.contains("no room") && text.contains("shorter") } else { false }
      })
  }

  @Test func `a checkpoint reads the journal on no thread of the language's pool`() async {
    let (inTask, read) = (Journal<Bool>(), Signal())
    let store = HookedStore { hooks in
      hooks.reading = { id in
        // The run also reads its mailbox now and then.
        guard id == "a" else { return }
        inTask.append(withUnsafeCurrentTask { $0 != nil })
        read.fire()
      }
    }
    let flow = flow.forEach(in: 0..<100, width: 1) { number, _ in
      if number == 80 { await read.wait() }
    }
    #expect(await flow.run(id: "a", in: store).isSuccess)
    #expect(inTask.entries == [false])
  }
}
