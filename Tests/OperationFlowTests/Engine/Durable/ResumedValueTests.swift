import Foundation
import TestSupport
import Testing

@testable import OperationFlow

extension FlowKey where Value == String {
  fileprivate static var token: Self { FlowKey("token", sensitive: true) }
  fileprivate static var endpoint: Self { FlowKey("endpoint", isStored: false) }
}

extension FlowKey where Value == Int {
  fileprivate static var plan: Self { FlowKey("plan", isStored: false) }
}

/// What a run that is resumed does about values that were not stored.
@Suite(.watched) struct ResumedValueTests {
  private func error(_ outcome: FlowOutcome) -> FlowError? { outcome.error as? FlowError }

  /// The outcome of a flow that is resumed when the given number of entries after the first were written.
  private func resumed(
    _ make: () -> Flow, settled: Int, with data: [String: any Sendable] = [:]
  ) async throws -> FlowOutcome {
    let store = MemoryFlowStore()
    _ = await make().run(id: "a", in: store, durability: .operatingSystem)
    let entries = Array(try #require(store.journals["a"]).prefix(settled + 1))
    return await make().run(id: "a", in: MemoryFlowStore(["a": entries]), with: data)
  }

  @Test func `a flow's own value doesn't stand for one that a step had written`() async throws {
    let used = Journal<String>()
    let make = {
      Flow("Outer").add("login", .writes(.token)) { $0[.token] = "ann" }
        .add(flow: Flow("Upload").set(.token, to: "anonymous").add("use") { used.append(try $0.require(.token)) })
    }
    let outcome = try await resumed(make, settled: 1)
    #expect(error(outcome)?.code == .missingData && error(outcome)?.key == "token", "\(outcome)")
    #expect(used.entries == ["ann"])
    #expect(try await resumed(make, settled: 1, with: ["token": "eve"]).isSuccess)
    #expect(used.entries == ["ann", "ann", "eve"])
  }

  @Test func `a flow's own value that isn't stored is in no entry, and is the present one after a resume`() async throws
  {
    let (store, used) = (MemoryFlowStore(), Journal<String>())
    let make = { (endpoint: String) in
      Flow("Outer").add(
        flow: Flow("Inner").set(.endpoint, to: endpoint).add("first") { _ in }
          .add("use") { used.append($0["endpoint" as FlowKey<String>] ?? "none") })
    }
    #expect(await make("http://old").run(id: "a", in: store).isSuccess)
    let entries = try #require(store.journals["a"])
    #expect(entries.allSatisfy { $0.range(of: Data("http:".utf8)) == nil })
    let copy = MemoryFlowStore(["a": Array(entries.prefix(3))])
    #expect(await make("http://new").run(id: "a", in: copy).isSuccess)
    #expect(used.entries == ["http://old", "http://new"])
  }

  @Test func `the outcome of a run that had ended shows no value that was sealed`() async throws {
    struct Login: Codable, Sendable { var password = "hunter2-xyz" }
    struct Refused: Error { let text: String }
    let sealing = FlowSealing(seal: { Data($0.map { $0 ^ 0x55 }) }, open: { Data($0.map { $0 ^ 0x55 }) })
    let store = MemoryFlowStore()
    let flow = Flow("Ended").add("login") { context in
      context[FlowKey<Login>("login", sensitive: true)] = Login()
      throw Refused(text: "wrong: hunter2-xyz")
    }
    for place in ["first", "again"] {
      let outcome = await flow.run(id: "a", in: store, sealing: sealing)
      let record = outcome.report.record
      #expect(record.ending?.failure?.problem.contains("<redacted>") == true, "\(place): \(record)")
      #expect(!"\(record)\(outcome.report.summary)".contains("hunter2"), "\(place)")
    }
  }

  @Test func `a copy of a flow stores no more than the flow`() {
    let flow = Flow("Copied").set(.endpoint, to: "http://here")
    #expect(flow.copy().initialData.unstoredNames == ["endpoint"])
  }

  @Test func `a value that only a decided condition needed isn't missed`() async throws {
    let ran = Journal<String>()
    let make = {
      Flow("Outer").add("choose", .writes(.plan)) { $0[.plan] = 7 }
        .add(
          flow: Flow("Long").add("first", .writesNothing) { _ in }.add("second", .writesNothing) { _ in
            ran.append("second")
          }, .when(.plan, is: 7))
    }
    // The condition is undecided after one entry, and met after two.
    #expect(error(try await resumed(make, settled: 1))?.key == "plan")
    for settled in 2...4 { #expect(try await resumed(make, settled: settled).isSuccess, "\(settled)") }
    #expect(ran.entries.count == 7)
  }

  @Test func `a value that only a step needed that has failed isn't missed by its recovery`() async throws {
    let recovered = Tally()
    let make = {
      Flow("Recovering").add("open", .writes(.plan)) { $0[.plan] = 7 }
        .add("use", .reads(.plan), .writesNothing, .recover { _, _ in recovered.add() }) { context in
          _ = try context.require(.plan)
          throw TestError(name: "no")
        }
    }
    #expect(error(try await resumed(make, settled: 1))?.key == "plan")
    #expect(try await resumed(make, settled: 2).isSuccess)
    #expect(recovered.count == 3)
  }
}
