import Foundation
import TestSupport
import Testing

@testable import OperationFlow

extension FlowKey where Value == Int {
  fileprivate static var session: Self { FlowKey("session", isStored: false) }
  fileprivate static var secret: Self { FlowKey("secret", sensitive: true) }
  fileprivate static var plain: Self { "plain" }
}

/// Values that a run had before it was resumed, and that no one knows any longer.
@Suite(.watched) struct MissingAfterResumeTests {
  private func error(_ outcome: FlowOutcome) -> FlowError? { outcome.error as? FlowError }

  private func cut(_ flow: Flow, settled: Int) async throws -> MemoryFlowStore {
    let store = MemoryFlowStore()
    _ = await flow.run(id: "a", in: store, durability: .operatingSystem)
    return MemoryFlowStore(["a": Array(try #require(store.journals["a"]).prefix(settled + 1))])
  }

  private func flow(_ ran: Journal<String>, middle: StepTrait<Repeatable> = .writesNothing) -> Flow {
    Flow("Missing")
      .add("open", .writes(.session)) { context in
        ran.append("open")
        context[.session] = 7
      }
      .add("middle", middle) { context in
        ran.append("middle")
        context[.session] = 8
      }
      .add("use", .reads(.session), .writesNothing) { context in
        ran.append("use")
        _ = try context.require(.session)
      }
  }

  @Test func `a value that a later step requires is missed before anything runs`() async throws {
    let ran = Journal<String>()
    let store = try await cut(flow(Journal()), settled: 1)
    let found = try #require(error(await flow(ran).run(id: "a", in: store)))
    #expect(found.code == .missingData && found.key == "session" && found.step == "3. use")
    #expect(found.problem.contains("3. use requires <session>, written by 1. open,"))
    #expect(found.problem.contains("isn't stored") && found.remedy.contains("run(id:in:with:)"))
    #expect(ran.entries == [] && store.journals["a"]?.count == 2)
    #expect(await flow(ran).run(id: "a", in: store, with: ["session": 9]).isSuccess)
    #expect(ran.entries == ["middle", "use"])
  }

  @Test func `a value that may be written before it is read isn't missed`() async throws {
    let undeclared = Flow("Missing").add("open", .writes(.session)) { $0[.session] = 7 }
      .add("middle") { $0[.session] = 8 }
      .add("use", .reads(.session), .writesNothing) { _ = try $0.require(.session) }
    #expect(await undeclared.run(id: "a", in: try await cut(undeclared, settled: 1)).isSuccess)
    let ran = Journal<String>()
    let store = try await cut(flow(Journal(), middle: .writes(.session)), settled: 1)
    #expect(await flow(ran, middle: .writes(.session)).run(id: "a", in: store).isSuccess)
    #expect(ran.entries == ["middle", "use"])
  }

  @Test func `a value that was read isn't missed`() async throws {
    let make = {
      Flow("Missing").add("open", .writes(.session)) { $0[.session] = 7 }
        .add("use", .reads(.session), .writesNothing) { _ = try $0.require(.session) }
        .add("last", .writesNothing) { _ in }
    }
    #expect(await make().run(id: "a", in: try await cut(make(), settled: 2)).isSuccess)
  }

  @Test func `a step that may be skipped misses nothing`() async throws {
    let make = {
      Flow("Missing").set(.plain, to: 1).add("open", .writes(.session)) { $0[.session] = 7 }
        .add("use", .when(.plain, is: 2), .reads(.session), .writesNothing) { _ = try $0.require(.session) }
        .cases(on: .plain) { cases in
          cases.when(2) { $0.add("in case", .reads(.session), .writesNothing) { _ in } }
          cases.otherwise { $0.add("other", .writesNothing) { _ in } }
        }
    }
    #expect(await make().run(id: "a", in: try await cut(make(), settled: 1)).isSuccess)
  }

  @Test func `steps in flows, branches and chosen cases miss values too`() async throws {
    let use = { (flow: Flow) in
      flow.add("use", .reads(.session), .writesNothing) { _ = try $0.require(.session) } as Flow
    }
    let open = { Flow("Missing").set(.plain, to: 1).add("open", .writes(.session)) { $0[.session] = 7 } }
    let inFlow = { open().add(flow: use(Flow("Inner").add("first", .writesNothing) { _ in })) }
    let inBranch = {
      open().parallel("both") { step in
        step.branch("left") { $0.add("left", .writesNothing) { _ in } }
        step.branch("right") { _ = use($0) }
      }
    }
    let inCase = {
      open().cases(on: .plain) { cases in cases.when(1) { _ = use($0.add("first", .writesNothing) { _ in }) } }
    }
    for (make, settled) in [(inFlow, 1), (inFlow, 3), (inBranch, 1), (inCase, 2), (inCase, 3)] {
      let outcome = await make().run(id: "a", in: try await cut(make(), settled: settled))
      #expect(
        error(outcome)?.key == "session" && error(outcome)?.problem.contains("before the run was resumed") == true)
      #expect(outcome.failure?.isRefusal == true)
    }
  }

  @Test func `a choice by a value that is missing is refused before anything runs`() async throws {
    let ran = Tally()
    let make = {
      Flow("Missing").add("open", .writes(.session)) { $0[.session] = 7 }
        .add("middle", .writesNothing) { _ in ran.add() }
        .cases(on: .session) { cases in cases.when(7) { $0.add("seven") { _ in } } }
    }
    let store = try await cut(make(), settled: 1)
    let count = ran.count
    #expect(error(await make().run(id: "a", in: store))?.key == "session" && ran.count == count)
  }

  @Test func `a sensitive value that a later step requires is missed as well`() async throws {
    let make = {
      Flow("Missing").add("open", .writes(.secret)) { $0[.secret] = 7 }
        .add("use", .reads(.secret), .writesNothing) { _ = try $0.require(.secret) }
    }
    let found = error(await make().run(id: "a", in: try await cut(make(), settled: 1)))
    #expect(found?.key == "secret" && found?.remedy.contains("FlowSealing") == true)
  }

  @Test func `changing a value that is missing fails the step, and changes nothing`() async throws {
    for key in [FlowKey<Int>.session, .secret] {
      let make = { (seen: Journal<Int>) in
        Flow("Update").add("open") { $0[key] = 7 }
          .add("change", .retry(.attempts(3))) { context in
            seen.append(
              context.update(key, default: 100) { value in
                value += 1
                return value
              })
          }
          .add("after") { _ in seen.append(-1) }
      }
      let seen = Journal<Int>()
      let outcome = await make(seen).run(id: "a", in: try await cut(make(Journal()), settled: 1))
      let found = try #require(error(outcome))
      #expect(found.code == .missingData && found.key == key.name && found.step == "[change]")
      #expect(found.problem.contains("before the run was resumed") && found.remedy.contains("run(id:in:with:)"))
      #expect(seen.entries == [101] && outcome.report[key] == nil)
      let given = Journal<Int>()
      #expect(
        await make(given).run(id: "a", in: try await cut(make(Journal()), settled: 1), with: [key.name: 7]).isSuccess)
      #expect(given.entries == [8, -1])
    }
  }

  @Test func `changing a value that is missing fails the item that does`() async throws {
    let make = {
      Flow("Update").add("open") { $0[.session] = 7 }
        .forEach(in: 0..<3, width: 1, tolerating: .all) { number, context in
          if number == 1 { context.update(.session, default: 0) { $0 += 1 } }
        }
    }
    let outcome = await make().run(id: "a", in: try await cut(make(), settled: 1))
    #expect(outcome.isSuccess && outcome.report.itemFailures.map(\.index) == [1])
  }

  @Test func `a value that is missing can be written anew, but not be changed from outside`() {
    let bucket = DataBucket()
    bucket.noteWrites(after: 0)
    bucket.replace(WithheldValue(reason: .isNotStored), named: "session")
    #expect(bucket.update(.session, default: 5) { $0 } == 5)
    #expect(bucket[.session] == nil && bucket.isWithheld("session") && bucket.takeLooseWrites().isEmpty)
    bucket.set(.session, to: 1)
    bucket.update(.session, default: 5) { $0 += 1 }
    #expect(bucket[.session] == 2)
  }
}
