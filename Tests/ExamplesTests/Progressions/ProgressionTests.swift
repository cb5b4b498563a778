import Foundation
import OperationFlow
import OperationFlowProgressions
import TestSupport
import Testing
import Uploader

extension FlowKey where Value == OrderReading {
  fileprivate static var reading: Self { "reading" }
}
extension FlowKey where Value == Order {
  fileprivate static var order: Self { "order" }
}
extension FlowKey where Value == String {
  fileprivate static var found: Self { "found" }
  fileprivate static var answer: Self { "answer" }
}

/// Progressions with real files and a real server: alone, one after the other, composed, and continued.
@Suite(.watched, .serialized) struct ProgressionTests {
  private static let answer = "took greeting, 11 characters\n"
  private static let postingSteps = ["posting: post", "posting: answered", "posting: done", "done"]

  @Test func `a file is read in steps that change the value in place`() async throws {
    try await OrderSite.open { site in
      let outcome = await Flow("Read")
        .set(.reading, to: .open(site.order))
        .progress("read", from: .reading, into: .order)
        .run()
      #expect(outcome.isSuccess && outcome.report[.order] == Order(name: "greeting", text: "hello world"))
      #expect(Self.steps(of: "read", in: outcome) == ["open", "parse", "check", "done"])
    }
  }

  @Test func `a server is asked in steps that come back in a callback, from the result before`() async throws {
    try await OrderSite.open { site in
      let outcome = await Flow("Ask")
        .progress("get", into: .found) { _ in HTTPExchange.get(site.server.appending(component: "order.json")) }
        .progress("post", into: .answer) { step in
          HTTPExchange.post(site.server, body: Data(try step.require(.found).utf8))
        }
        .run()
      #expect(outcome.isSuccess && outcome.report[.answer] == Self.answer)
      #expect(Self.steps(of: "get", in: outcome) == ["get", "answered", "done"])
      #expect(Self.steps(of: "post", in: outcome) == ["post", "answered", "done"])
    }
  }

  @Test func `two progressions in one have the steps and the diagram of both`() async throws {
    try await OrderSite.open { site in
      let outcome = await Self.uploading(site, storedIn: MemoryProgressionStore()).run()
      #expect(outcome.isSuccess && outcome.report[.answer] == Self.answer)
      let readingSteps = ["reading: open", "reading: parse", "reading: check", "reading: done"]
      #expect(Self.steps(of: "upload", in: outcome) == readingSteps + Self.postingSteps)
      let diagram = try #require(outcome.report.diagram(of: "upload")).mermaid.split(separator: "\n")
      let lines = ["stateDiagram-v2", "  state \"reading#58; open\" as s0", "  s3 --> s4", "  s7 --> [*]"]
      for line in lines { #expect(diagram.count { $0 == line } == 1, "\(line)") }
    }
  }

  @Test func `one that is refused goes on from the stored step, without the file`() async throws {
    try await OrderSite.open(refusals: 1) { site in
      let store = FileProgressionStore(directory: site.folder.appending(component: "steps"))
      let refused = await Self.uploading(site, storedIn: store).run()
      #expect(refused.error as? UploadError == .refused(status: 503))

      try FileManager.default.removeItem(at: site.order)
      let outcome = await Self.uploading(site, storedIn: store).run()
      #expect(outcome.isSuccess && outcome.report[.answer] == Self.answer)
      #expect(Self.steps(of: "upload", in: outcome) == Self.postingSteps)
      #expect(outcome.report.summary.contains("[upload] goes on from the step stored as <greeting>\n"))
      #expect(try await store.load("greeting") == nil, "what is done is not stored any more")
    }
  }

  private static func uploading(_ site: OrderSite, storedIn store: any ProgressionStore) -> Flow {
    Flow("Upload").progress("upload", into: .answer, store: store, as: "greeting") { _ in
      OrderUpload.reading(.open(site.order), server: site.server)
    }
  }

  /// Returns the steps that a progression reached.
  private static func steps(of name: String, in outcome: FlowOutcome) -> [String] {
    outcome.report.events.compactMap { event in
      if event.source.name == name, case .progressed(let step) = event.kind { step } else { nil }
    }
  }
}
