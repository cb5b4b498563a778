import Foundation
import OperationFlowReports
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

extension FlowKey where Value == String {
  fileprivate static var endpoint: Self { "endpoint" }
}

/// Values that were not stored, in a resumed run.
@Suite(.watched) struct ResumedValueTests {
  @Test func `a flow's own value that isn't stored is in no entry, and is the present one after a resume`() async throws
  {
    let (store, used) = (MemoryFlowStore(), Journal<String>())
    let make = { (endpoint: String) in
      Flow("Outer").add(
        flow: Flow("Inner").set(.endpoint, to: endpoint).add("first") { _ in }
          .add("use") { used.append($0["endpoint" as FlowKey<String>] ?? "none") })
    }
    let omitted: Set = [FlowKey.endpoint.name]
    #expect(await make("http://old").run(id: "a", in: store, omitting: omitted).isSuccess)
    let entries = try #require(store.journals["a"])
    #expect(entries.allSatisfy { $0.range(of: Data("http:".utf8)) == nil })
    #expect(await make("http://new").run(id: "a", in: try store.cut(settled: 2), omitting: omitted).isSuccess)
    #expect(used.entries == ["http://old", "http://new"])
  }

  @Test func `the outcome of a run that had ended shows no value that was sealed`() async throws {
    struct Login: Codable, Sendable { var password = "hunter2-xyz" }
    struct Refused: Error { let text: String }
    let store = MemoryFlowStore()
    let flow = Flow("Ended").add("login") { context in
      context[FlowKey<Login>("login", sensitive: true)] = Login()
      throw Refused(text: "wrong: hunter2-xyz")
    }
    for place in ["first", "again"] {
      let outcome = await flow.run(id: "a", in: store, sealing: .masking)
      let record = outcome.report.record
      #expect(record.ending?.failure?.problem.contains("<redacted>") == true, "\(place): \(record)")
      #expect(!"\(record)\(outcome.report.summary)".contains("hunter2"), "\(place)")
    }
  }
}
