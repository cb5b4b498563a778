import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

extension FlowKey where Value == Int {
  fileprivate static var session: Self { "session" }
  fileprivate static var secret: Self { FlowKey("secret", sensitive: true) }
  fileprivate static var plain: Self { "plain" }
}

extension Flow {
  /// Returns a flow whose first step writes a value that the journal doesn't contain.
  fileprivate static func open(_ key: FlowKey<Int> = .session) -> Flow {
    Flow("Missing").set(.plain, to: 1).add("open", .writes(key)) { $0[key] = 7 }
  }

  fileprivate func use(_ key: FlowKey<Int> = .session, _ traits: StepTrait<FlowStep.Repeatable>...) -> Flow {
    add("use", .closure(.sync { _ = try $0.require(key) }), StepOptions(traits + [.reads(key), .writesNothing]), nil)
  }

  fileprivate func idle(_ name: String) -> Flow { add(name, .writesNothing) { _ in } }
}

/// Has a default, which must not replace a value that was written.
private final class SessionOp: FlowOperation, @unchecked Sendable {
  @FlowInput(.session) var session = 0

  override func mainLogic() {
    if session == 7 { finishSuccessfully() } else { finishWithError(error: TestError()) }
  }
}

/// Values that a run had before it was resumed, and that are lost.
@Suite(.watched) struct MissingAfterResumeTests {
  private func error(_ outcome: FlowOutcome) -> FlowError? { outcome.error as? FlowError }

  private func flow(_ ran: Journal<String>, middle: StepTrait<FlowStep.Repeatable> = .writesNothing) -> Flow {
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
    let store = try await flow(Journal()).cut(settled: 1, omitting: ["session"])
    let found = try #require(error(await flow(ran).run(id: "a", in: store)))
    #expect(found.code == .missingData && found.key == "session" && found.step == "3. use")
    #expect(found.problem.contains("3. use requires <session>, written by 1. open,"))
    #expect(found.problem.contains("isn't stored") && found.remedy.contains("run(id:in:with:)"))
    #expect(ran.entries == [] && store.journals["a"]?.count == 2)
    #expect(await flow(ran).run(id: "a", in: store, with: ["session": 9]).isSuccess)
    #expect(ran.entries == ["middle", "use"])
  }

  private static let flows: [(what: String, make: @Sendable () -> Flow, missed: [Int], fine: [Int])] = [
    ("a step that comes later", { .open().idle("middle").use().idle("last") }, [1, 2], [3]),
    ("a step after one that may write it", { .open().add("middle") { $0[.session] = 8 }.use() }, [], [1]),
    (
      "a step after one that writes it", { .open().add("middle", .writes(.session)) { $0[.session] = 8 }.use() }, [],
      [1]
    ),
    (
      "steps that may be skipped",
      {
        .open().use(.session, .when(.plain, is: 2)).cases(on: .plain) {
          $0.when(2) { _ = $0.use() }
          $0.otherwise { _ = $0.idle("other") }
        }
      }, [], [1]
    ),
    ("a step in a flow", { .open().add(flow: Flow("Inner").idle("first").use()) }, [1, 3], []),
    (
      "a step in a branch",
      {
        .open().parallel("both") {
          $0.branch("left") { _ = $0.idle("left") }
          $0.branch("right") { _ = $0.use() }
        }
      }, [1], []
    ),
    (
      "a step in a case that was chosen",
      { .open().cases(on: .plain) { $0.when(1) { _ = $0.idle("first").use() } } }, [2, 3], []
    ),
    ("a choice", { .open().idle("middle").cases(on: .session) { $0.when(7) { _ = $0.idle("seven") } } }, [1, 2], []),
    ("a condition", { .open().add("maybe", .when(.session, is: 7)) { _ in } }, [1], []),
    (
      "a condition that has been decided",
      { .open().add(flow: Flow("Long").idle("first").idle("second"), .when(.session, is: 7)) }, [1], [2, 3, 4]
    ),
    ("an input with a default", { .open().add(SessionOp()) }, [1], []),
    (
      "a step that has failed, and recovers",
      {
        .open().add("use", .reads(.session), .writesNothing, .recover { _, _ in }) { context in
          _ = try context.require(.session)
          throw TestError(name: "no")
        }
      }, [1], [2]
    ),
    (
      "a step in a flow with a value of its own", { .open().add(flow: Flow("Inner").set(.session, to: 1).use()) }, [1],
      []
    ),
    (
      "a step of a flow that begins with a value",
      {
        Flow("Missing").set(.session, to: 1).add("open") { $0[.session] = 7 }.add("use") {
          if try $0.require(.session) != 7 { throw TestError() }
        }
      }, [1], []
    ),
    ("a step that comes later, if it is sensitive", { .open(.secret).use(.secret) }, [1], []),
  ]

  @Test(arguments: flows.indices) func `a value is missed by what needs it, and by nothing else`(index: Int)
    async throws
  {
    let (what, make, missed, fine) = Self.flows[index]
    for settled in missed {
      let store = try await make().cut(settled: settled, omitting: ["session"])
      let outcome = await make().run(id: "a", in: store)
      let found = try #require(error(outcome), "\(what) after \(settled): \(outcome)")
      #expect(found.code == .missingData && (found.key == "session" || found.key == "secret"), "\(what)")
      #expect(found.problem.contains("before the run was resumed"), "\(what)")
      let isInput = what == "an input with a default"
      #expect(isInput || found.remedy.contains("run(id:in:with:)"), "\(what): \(found.remedy)")
      #expect(found.key != "secret" || found.remedy.contains("FlowSealing"))
      // If the check before the run finds this, nothing was run.
      if outcome.failure?.isRefusal == true { #expect(store.journals["a"]?.count == settled + 1, "\(what)") }
      let again = try await make().cut(settled: settled, omitting: ["session"])
      #expect(
        await make().run(id: "a", in: again, with: ["session": 7, "secret": 7]).isSuccess, "\(what) after \(settled)")
    }
    for settled in fine {
      let outcome = await make().run(id: "a", in: try await make().cut(settled: settled, omitting: ["session"]))
      #expect(outcome.isSuccess, "\(what) after \(settled): \(outcome)")
    }
  }

  @Test func `what declares that it reads a missing value is refused before anything runs`() async throws {
    for index in [4, 5, 6, 7] {
      let (what, make, missed, _) = Self.flows[index]
      let outcome = await make().run(id: "a", in: try await make().cut(settled: missed[0], omitting: ["session"]))
      #expect(outcome.failure?.isRefusal == true, "\(what)")
    }
  }

  @Test func `changing a value that is missing leaves the run, and changes nothing`() async throws {
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
      let outcome = await make(seen).run(id: "a", in: try await make(Journal()).cut(settled: 1, omitting: ["session"]))
      let found = try #require(error(outcome))
      #expect(found.code == .missingData && found.key == key.name && found.step == "[change]")
      #expect(found.problem.contains("before the run was resumed") && found.remedy.contains("run(id:in:with:)"))
      #expect(seen.entries == [101] && outcome.report[key] == nil)
      let given = Journal<Int>()
      #expect(
        await make(given).run(
          id: "a", in: try await make(Journal()).cut(settled: 1, omitting: ["session"]), with: [key.name: 7]
        ).isSuccess)
      #expect(given.entries == [8, -1])
    }
  }

  @Test func `changing a value that is missing in an item leaves the run, whatever the group tolerates`() async throws {
    let make = {
      Flow("Update").add("open") { $0[.session] = 7 }
        .forEach(in: 0..<3, width: 1, tolerating: .all) { number, context in
          if number == 1 { context.update(.session, default: 0) { $0 += 1 } }
        }
    }
    let store = try await make().cut(settled: 1, omitting: ["session"])
    let outcome = await make().run(id: "a", in: store)
    #expect(error(outcome)?.code == .missingData)
    let again = await make().run(id: "a", in: store, with: ["session": 7])
    #expect(again.isSuccess && again.report.itemFailures.isEmpty && again.report[.session] == 8)
  }

  @Test func `a value that is missing can be written anew, but not be changed from outside`() {
    let bucket = DataBucket()
    let writes = JournalWrites()
    bucket.keepWrites(in: writes)
    bucket.replace(UnavailableValue(isSensitive: false), named: "session")
    #expect(bucket.update(.session, default: 5) { $0 } == 5)
    #expect(
      bucket[.session] == nil && !bucket.unavailableNames.isEmpty
        && writes.take(of: PendingWrites.Writer(step: 0, item: nil)).loose.isEmpty)
    bucket.set(.session, to: 1)
    bucket.update(.session, default: 5) { $0 += 1 }
    #expect(bucket[.session] == 2)
  }
}
