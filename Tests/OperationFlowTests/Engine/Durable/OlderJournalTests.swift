import Foundation
import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow

/// A journal's file that an earlier build of the library has written, which every later one has to resume.
@Suite(.watched) struct OlderJournalTests {
  private static let sizes: FlowKey<[Int]> = "sizes"
  private static let target: FlowKey<String> = "target"

  private static func flow(_ ran: Journal<String>) -> Flow {
    Flow("Publish").set(target, to: "web")
      .add("measure", .writes("size" as FlowKey<Int>)) {
        ran.append("measure")
        $0["size"] = 40
      }
      .cases(on: "target") {
        $0.when("web") { $0.add("shrink") { _ in ran.append("shrink") } }
        $0.otherwise { $0.add("other") { _ in ran.append("other") } }
      }
      .forEach(in: ["a", "bb", "ccc"], into: sizes, width: 1, tolerating: .failures(1), .named("upload")) { text, _ in
        ran.append(text)
        if text == "bb" { throw TestError(name: "no room") }
        return text.count
      }
      .add("publish", .retry(.attempts(2, delay: .zero))) { context in
        ran.append("publish \(context.attempt)")
        if context.attempt == 1 { throw TestError(name: "busy") }
      }
  }

  /// The files by the version of their entries: the run of the flow above, up to the first attempt of its last step.
  private static let files = [
    1: """
    iU9GSg0KGgoBAAAACQAAAOPUrlLZ4k9RLQAAAAAAAABwdWJsaXNoLTHYE2WvKgEAAIzzaSUAAAAAJ/12vAEBB1B1Ymxpc2jKlrix
    oDQGCjEuIG1lYXN1cmUHY2xvc3VyZQAAACEyLiBDYXNlcyA+IHRhcmdldD13ZWIgPiAxLiBzaHJpbmsHY2xvc3VyZQQAAB8yLiBD
    YXNlcyA+IG90aGVyd2lzZSA+IDEuIG90aGVyB2Nsb3N1cmUEAQAIMi4gQ2FzZXMdY2FzZXM6IHRhcmdldD13ZWIgfCBvdGhlcndp
    c2UAAAAJMy4gdXBsb2FkOGdyb3VwIG9mIGEgc2VxdWVuY2Ugd2l0aCBvdXRwdXRzIHRoYXQgdG9sZXJhdGVzIGNvdW50KDEpAAAA
    CjQuIHB1Ymxpc2gbY2xvc3VyZSwgYXQgbW9zdCAyIGF0dGVtcHRzAAAAAQZ0YXJnZXQAAQEFIndlYiIZAAAApcgUtzoBAAAr1jNl
    AsqWuLGgNAIAAAEABAEEc2l6ZQEBAgI0MA8AAAAnjK/dYwEAAA88sXcCypa4saA0AwMAAQQBAAANAAAAAbKywIIBAABq+JGTAsqW
    uLGgNAIBAAEAAA8AAACPs2p7nwEAAHtvyCQCy5a4saA0BgQAAQYAAQARAAAAc7/TXL4BAACCtZcDAsuWuLGgNAgEAQEAAgACATEs
    AAAAvGbsGN8BAAD52u7JAsuWuLGgNAgEAgEBABJUZXN0RXJyb3Iobm8gcm9vbSkJVGVzdEVycm9yAAARAAAANrkPgBsCAAAXjsIt
    AsuWuLGgNAgEAwEAAgACATMOAAAAFfWI2DwCAACC2rTuAsuWuLGgNAcEAAEHAwAdAAAAUiaekVoCAACVv23vAsyWuLGgNA0EAAEA
    BAEFc2l6ZXMCAQYFWzEsM10rAAAANjJuOIcCAACzCUE6AsyWuLGgNAIFAAEBAA9UZXN0RXJyb3IoYnVzeSkJVGVzdEVycm9yAQAA
    AA==
    """
  ]

  @Test(arguments: files.keys.sorted()) func `it is resumed where it ended`(version: Int) async throws {
    let text = try #require(Self.files[version])
    let bytes = try #require(Data(base64Encoded: text, options: .ignoreUnknownCharacters))
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("older-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try bytes.write(to: folder.appendingPathComponent("publish-1.journal"))
    let (ran, store) = (Journal<String>(), FileFlowStore(folder: folder))
    let unfinished = try await store.unfinished()
    #expect(unfinished.map(\.id) == ["publish-1"] && unfinished.map(\.flowName) == ["Publish"])
    let outcome = await Self.flow(ran).run(id: "publish-1", in: store)
    #expect(outcome.isSuccess && ran.entries == ["publish 2"])
    #expect(outcome.report[Self.sizes] == [1, 3] && outcome.report["size"] == 40)
    #expect(outcome.report.itemFailures.map(\.index) == [1])
    #expect(try await store.unfinished().isEmpty)
  }

  @Test func `the file of the current version is what is written today`() {
    // A new version of the entries needs a file of its own here, and the older ones stay.
    #expect(Self.files.keys.max() == JournalEntry.version)
  }
}
