import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// A connection that no journal can store.
private struct Session: Sendable, Hashable {
  var number = 7
}

extension FlowKey where Value == Session {
  fileprivate static var session: Self { "session" }
}

private final class Using: FlowOperation, @unchecked Sendable {
  // Invariant: it has no state of its own.
  override func mainLogic() {
    guard let session: Session = getData(name: .session) else { return }
    if session.number == 7 { finishSuccessfully() } else { finishWithError(error: TestError()) }
  }
}

/// A run is left if a step needs a value after a resume that no journal stores, without declaring it.
@Suite(.watched) struct UnstoredValueTests {
  private func flow(_ ran: Journal<String>, _ last: (Flow) -> Flow) -> Flow {
    last(Flow("Order").add("pay", .undo { _ in ran.append("refunded") }) { _ in })
      .always("end") { $0.add("end") { _ in ran.append("ended") } }
  }

  private static let reads: [String: @Sendable (Flow) -> Flow] = [
    "require": { $0.add("ship") { _ = try $0.require(.session) } },
    "a read with a recovery": {
      $0.add("ship", .retry(.attempts(3)), .recover { _, _ in }) { _ = try $0.require(.session) }
    },
    "an update": { $0.add("ship") { $0.update(.session, default: Session(number: 1)) { $0.number = 7 } } },
    "getData": { $0.add(Using(), .named("ship")) },
    "a condition": {
      $0.add(
        "ship",
        .when {
          _ = try $0.require(.session); return true
        }
      ) { _ in }
    },
    "items that may fail": {
      $0.forEach(in: 0..<2, width: 1, tolerating: .all, .named("ship")) { _, context in
        _ = try context.require(.session)
      }
    },
    "an undo": {
      $0.add("ship", .undo { _ = try $0.require(.session) }) { _ in }.add("fail") { _ in throw TestError() }
    },
  ]

  @Test(arguments: reads.keys.sorted()) func `the run is left until the call is given the value`(how: String)
    async throws
  {
    let read = try #require(Self.reads[how])
    let (ran, given) = (Journal<String>(), ["session": Session()] as [String: any Sendable])
    let full = MemoryFlowStore()
    _ = await flow(Journal(), read).run(id: "a", in: full, with: given, omitting: ["session"])
    let store = try full.cut(settled: 1)
    let outcome = await flow(ran, read).run(id: "a", in: store)
    let error = try #require(outcome.error as? FlowError)
    #expect(error.code == .missingData && error.key == "session" && error.flow == "Order")
    #expect(error.step?.contains("ship") == true)
    #expect(error.problem.contains("<session> isn't stored"))
    #expect(error.remedy.contains("Pass <session> to run(id:in:with:)") && error.remedy.contains("is left as it was"))
    #expect(ran.entries == [])
    #expect(try await store.unfinished().map(\.id) == ["a"])
    let again = await flow(ran, read).run(id: "a", in: store, with: given, omitting: ["session"])
    #expect(again.isSuccess == (how != "an undo") && again.hadEnded == false)
    #expect(ran.entries == (how == "an undo" ? ["refunded", "ended"] : ["ended"]))
  }

  @Test func `a step that can do without the value makes it anew`() async throws {
    let make = {
      Flow("Order").add("pay") { _ in }
        .add("ship") { context in
          let session = context[.session] ?? Session(number: 8)
          context["number" as FlowKey<Int>] = session.number
        }
    }
    let full = MemoryFlowStore()
    #expect(await make().run(id: "a", in: full, with: ["session": Session()]).isSuccess)
    let outcome = await make().run(id: "a", in: try full.cut(settled: 1))
    #expect(outcome.isSuccess && outcome.report["number" as FlowKey<Int>] == 8)
  }

  @Test func `a name that the run never had is missing as ever`() async throws {
    let ran = Journal<String>()
    let make = { (ran: Journal<String>) in flow(ran) { $0.add("ship") { _ = try $0.require(.session) } } }
    let outcome = await make(ran).run(id: "a", in: try await make(Journal()).cut(settled: 1))
    #expect((outcome.error as? FlowError)?.code == .missingData && ran.entries == ["refunded", "ended"])
  }
}
