import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Runs that are resumed by a flow that has changed since they began.
@Suite(.watched) struct ChangedFlowTests {
  /// Returns the journal of a run that is cut off after this many settlements.
  private func entries(_ flow: Flow, settled: Int) async throws -> [Data] {
    try #require(await flow.cut(settled: settled).journals["a"])
  }

  /// Resumes a run with a flow that may have changed.
  private func resumed(_ entries: [Data], _ flow: Flow) async -> FlowOutcome {
    await flow.run(id: "a", in: MemoryFlowStore(["a": entries]), acceptsChanges: true)
  }

  private func error(_ outcome: FlowOutcome) -> FlowError? { outcome.error as? FlowError }

  private func note(_ name: String, _ ran: Journal<String>) -> @Sendable (FlowContext) -> Void {
    { _ in ran.append(name) }
  }

  private func flow(_ names: [String], ran: Journal<String>) -> Flow {
    names.reduce(Flow("Changed")) { flow, name in flow.add(name, run: note(name, ran)) }
  }

  @Test func `steps after the reached point may be added, removed and changed`() async throws {
    let ran = Journal<String>()
    let cut = try await entries(flow(["one", "two", "three", "four"], ran: Journal()), settled: 1)
    for names in [["one", "two"], ["one", "two", "drei"], ["one", "two", "three", "four", "five"]] {
      let flow = flow(names, ran: ran)
      let store = MemoryFlowStore(["a": cut])
      #expect(error(await flow.run(id: "a", in: store))?.code == .changedFlow)
      #expect(store.journals["a"] == cut)
      #expect(await flow.run(id: "a", in: store, acceptsChanges: true).isSuccess)
    }
    #expect(ran.entries == ["two", "two", "drei", "two", "three", "four", "five"])
  }

  @Test func `a step that has settled, or may have begun, may not change`() async throws {
    let cut = try await entries(flow(["one", "two", "three"], ran: Journal()), settled: 1)
    for (names, part) in [
      (["eins", "two", "three"], "a step was <1. one: closure>, and now is <1. eins: closure>"),
      (["one", "zwei", "three"], "a step was <2. two: closure>, and now is <2. zwei: closure>"),
      (["one"], "the step <2. two: closure> was removed"),
      (["one", "three"], "the step <2. two: closure> was removed"),
      (["one", "new", "two", "three"], "the step <2. new: closure> was inserted before <3. two: closure>"),
      (["one", "three", "two"], "the step <3. three: closure> was moved, and now is <2. three: closure>"),
      (["two", "three", "one"], "the step <1. one: closure> was moved, and now is <3. one: closure>"),
    ] {
      let ran = Journal<String>()
      let flow = flow(names, ran: ran)
      let store = MemoryFlowStore(["a": cut])
      let found = error(await flow.run(id: "a", in: store, acceptsChanges: true))
      #expect(found?.code == .changedFlow && found?.problem.hasSuffix(part) == true, "\(String(describing: found))")
      // The error is the same if changes aren't accepted.
      let refused = error(await flow.run(id: "a", in: store))
      #expect(refused?.code == .changedFlow && refused?.problem == found?.problem)
      #expect(ran.entries == [] && store.journals["a"] == cut)
    }
  }

  @Test func `a flow whose steps are all over may not be continued`() async throws {
    let cut = try await entries(flow(["one", "two"], ran: Journal()), settled: 2)
    let store = MemoryFlowStore(["a": cut])
    let found = error(
      await flow(["one", "two", "three"], ran: Journal()).run(id: "a", in: store, acceptsChanges: true))
    #expect(found?.code == .changedFlow && found?.problem.hasSuffix("the step <3. three: closure> was added") == true)
    #expect(await flow(["one", "two"], ran: Journal()).run(id: "a", in: store, acceptsChanges: true).isSuccess)
  }

  @Test func `the journal describes the changed flow from then on`() async throws {
    let cut = try await entries(flow(["one", "two", "three"], ran: Journal()), settled: 1)
    let (ran, killed) = (Journal<String>(), Journal<[Data]>())
    let store = HookedStore(["a": cut])
    let changed = flow(["one", "two", "new"], ran: ran)
    changed.observe { [weak store] event in
      // A copy of the journal as if the process was killed before anything else settled.
      if event.kind.isFlowStart, let entries = store?.memory.journals["a"] { killed.append(entries) }
    }
    #expect(await changed.run(id: "a", in: store, acceptsChanges: true).isSuccess)
    let entries = try #require(killed.entries.first)
    #expect(entries.count == cut.count && entries != cut)
    let again = MemoryFlowStore(["a": entries])
    #expect(await flow(["one", "two", "new"], ran: ran).run(id: "a", in: again).isSuccess)
    #expect(ran.entries == ["two", "new", "two", "new"])
  }

  @Test func `a journal that can't be rewritten refuses the run, and stays`() async throws {
    let cut = try await entries(flow(["one", "two", "three"], ran: Journal()), settled: 1)
    let ran = Journal<String>()
    let store = HookedStore(["a": cut]) { $0.replacing = { throw TestError(name: "full") } }
    let outcome = await flow(["one", "two"], ran: ran).run(id: "a", in: store, acceptsChanges: true)
    #expect(error(outcome)?.code == .storeFailed && ran.entries == [] && store.memory.journals["a"] == cut)
  }

  /// The steps of a large flow are numbered after all others in a blueprint, so their numbers change.
  @Test func `steps within flows keep their results if a change gives them other numbers`() async throws {
    let make = { (last: [String], ran: Journal<String>) in
      let inner = (0..<400).reduce(Flow("Inner")) { flow, number in flow.add("i\(number)", run: note("i\(number)", ran))
      }
      return last.reduce(Flow("Outer").add(flow: inner).add("middle", run: note("middle", ran))) { flow, name in
        flow.add(name, run: note(name, ran))
      }
    }
    for (settled, isFolded) in [(3, false), (200, false), (300, true), (401, true)] {
      var cut = try await entries(make(["x", "y"], Journal()), settled: settled)
      if isFolded { cut = try JournalCompaction.folded(cut) { _ in true } }
      for last in [[], ["x"], ["y", "x", "z", "w"]] {
        let (ran, expected) = (Journal<String>(), Journal<String>())
        let changed = make(last, ran)
        let store = MemoryFlowStore(["a": cut])
        #expect(await changed.run(id: "a", in: store, acceptsChanges: true).isSuccess)
        #expect(await make(last, expected).run().isSuccess)
        #expect(ran.entries == Array(expected.entries.dropFirst(settled - 1)))
      }
    }
  }

  @Test func `branches that were not taken may change, and those that were may not`() async throws {
    let key = FlowKey<String>("key")
    let make = { (left: [String], right: [String]) in
      Flow("Cases").set(key, to: "left")
        .cases(on: key) { cases in
          cases.when("left") { flow in for name in left { flow.add(name) { _ in } } }
          cases.when("right") { flow in
            flow.addNothing()
            for name in right { flow.add(name) { _ in } }
          }
        }
        .add("last") { _ in }
    }
    // The choice, and the first step of its branch.
    let cut = try await entries(make(["l1", "l2"], ["r1"]), settled: 2)
    func code(_ flow: Flow) async -> FlowError.Code? {
      error(await resumed(cut, flow))?.code
    }
    #expect(await code(make(["l1", "l2"], ["r2", "r3"])) == nil)
    #expect(await code(make(["l1", "l2", "l3"], [])) == nil)
    #expect(await code(make(["l1"], ["r1"])) == .changedFlow)
    #expect(await code(make(["l0", "l2"], ["r1"])) == .changedFlow)
    let over = try await entries(make(["l1", "l2"], ["r1"]), settled: 3)
    let longer = await resumed(over, make(["l1", "l2", "l3"], ["r1"]))
    #expect(error(longer)?.code == .changedFlow)
  }

  @Test func `what always runs may change until it may have begun`() async throws {
    let make = { (always: [String], steps: [String], ran: Journal<String>) in
      let flow = steps.reduce(Flow("Always")) { flow, name in flow.add(name, run: note(name, ran)) }
      return flow.always("end") { end in
        end.addNothing()
        for name in always { end.add(name, run: note(name, ran)) }
      }
    }
    let early = try await entries(make(["a1"], ["one", "two"], Journal()), settled: 1)
    let ran = Journal<String>()
    #expect(
      await resumed(early, make(["a2", "a3"], ["one", "two", "three"], ran)).isSuccess)
    #expect(ran.entries == ["two", "three", "a2", "a3"])
    let late = try await entries(make(["a1"], ["one", "two"], Journal()), settled: 3)
    for (always, isFine) in [(["a1", "a2"], true), (["a2"], false), ([], false)] {
      let outcome = await resumed(late, make(always, ["one", "two"], Journal()))
      #expect((error(outcome)?.code == .changedFlow) != isFine, "\(always)")
    }
  }

  @Test func `nothing more always runs once a run is at its end`() async throws {
    let make = { (names: [String]) in
      names.reduce(Flow("Always").add("one") { _ in }) { flow, name in flow.always(name) { $0.add(name) { _ in } } }
    }
    for (settled, code) in [(0, nil), (1, FlowError.Code.changedFlow)] {
      let store = MemoryFlowStore(["a": try await entries(make(["first"]), settled: settled)])
      let outcome = await make(["first", "second"]).run(id: "a", in: store, acceptsChanges: true)
      #expect(error(outcome)?.code == code)
    }
  }

  @Test func `undos of what has succeeded are those of the flow that began the run`() async throws {
    let make = { (isUndone: Bool, undone: Journal<String>) in
      let undo: StepTrait<FlowStep.Repeatable> = isUndone ? .undo { _ in undone.append("one") } : .named("one")
      return Flow("Undo").add("one", undo) { _ in }.add("two") { _ in throw TestError(name: "two") }
    }
    let undone = Journal<String>()
    let cut = try await entries(make(true, Journal()), settled: 1)
    let without = await resumed(cut, make(false, undone))
    #expect(error(without)?.code == .changedFlow)
    let more = make(true, undone).add("three", .undo { _ in undone.append("three") }) { _ in }
    let outcome = await resumed(cut, more)
    #expect(outcome.error is TestError && undone.entries == ["one"])
  }

  @Test func `a new step is checked like those of a new run`() async throws {
    let name = FlowKey<String>("name")
    let begin = { Flow("Checked").add("one", .writes(name)) { $0[name] = "ann" }.add("two", .writesNothing) { _ in } }
    let cut = try await entries(begin(), settled: 1)
    let unmet = begin().add("three", .reads(FlowKey<Int>("missing"))) { _ in }
    let outcome = await resumed(cut, unmet)
    #expect(error(outcome)?.code == .missingData && error(outcome)?.key == "missing")
    let met = begin().add("three", .reads(name)) { _ in }
    #expect(await resumed(cut, met).isSuccess)
  }

  @Test func `a changed flow resumes from a file, and again without the permission`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      let journal = try store.openJournal(of: "a").journal
      for entry in try await entries(flow(["one", "two", "three"], ran: Journal()), settled: 1) {
        try journal.append(entry)
      }
      journal.close()
      let ran = Journal<String>()
      let failing = flow(["one", "two"], ran: ran).add("stops") { _ in ran.append("stops") }
      #expect(await failing.run(id: "a", in: store, acceptsChanges: true).isSuccess)
      #expect(ran.entries == ["two", "stops"])
      let entries = try #require(try store.readJournal(of: "a"))
      guard case .begun(let beginning) = try JournalEntry(entries[0]) else {
        Issue.record("no beginning")
        return
      }
      #expect(beginning.shape.map(\.path) == ["1. one", "2. two", "3. stops"])
    }
  }
}

extension FlowEvent.Kind {
  fileprivate var isFlowStart: Bool { if case .flowStarted = self { true } else { false } }
}
