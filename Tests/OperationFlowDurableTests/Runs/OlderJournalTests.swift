import Foundation
import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Journal files of earlier builds of the library, which every later one has to resume.
@Suite(.watched) struct OlderJournalTests {
  private static let sizes: FlowKey<[Int]> = "sizes"
  private static let target: FlowKey<String> = "target"

  private static func flow(_ ran: Journal<String>, version: Int = JournalEntry.version) -> Flow {
    let flow = Flow("Publish").set(target, to: "web")
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
    // Steps can wait since version 3.
    if version >= 3 { flow.wait(.milliseconds(1), named: "pause") }
    return
      flow.add("publish", .retry(.attempts(2, delay: .zero))) { context in
        ran.append("publish \(context.attempt)")
        if context.attempt == 1 { throw TestError(name: "busy") }
      }
  }

  /// The files by the version of their entries: a run of the flow above, up to the first attempt of its last step.
  private static let files = [
    5: """
    iU9GSg0KGgoCAAAACQAAAETc+3jj2uLtLQAAAAAAAABwdWJsaXNoLTG34wJFWAEAAOjO3hEtAAAAAAAAAAAAAABADsHUAQUHUHVibGlz
    aKbbnaiiNAcKMS4gbWVhc3VyZQdjbG9zdXJlAAAAACEyLiBDYXNlcyA+IHRhcmdldD13ZWIgPiAxLiBzaHJpbmsHY2xvc3VyZQQAAAAf
    Mi4gQ2FzZXMgPiBvdGhlcndpc2UgPiAxLiBvdGhlcgdjbG9zdXJlBAEAAAgyLiBDYXNlcx1jYXNlczogdGFyZ2V0PXdlYiB8IG90aGVy
    d2lzZQAAAAAJMy4gdXBsb2FkOGdyb3VwIG9mIGEgc2VxdWVuY2Ugd2l0aCBvdXRwdXRzIHRoYXQgdG9sZXJhdGVzIGNvdW50KDEpAAAA
    AAg0LiBwYXVzZQlvcGVyYXRpb24AAAABEHdhaXRzIGZvciBhIHRpbWUKNS4gcHVibGlzaBtjbG9zdXJlLCBhdCBtb3N0IDIgYXR0ZW1w
    dHMAAAAAAQZ0YXJnZXQAAQEFIndlYiIPAAAAC+VtAZ0BAAAAAAAAcAEAAIELQhIIkJSeqKI0AgAAAQAAAQMdAAAADMacdcQBAAAAAAAA
    lwEAAGXILzgCkJSeqKI0AgAAAQAEAQRzaXplAQECAjQwAQAAAxMAAADP5Eee+QEAAAAAAADMAQAAwENFbgKRlJ6oojQDAwABBAEAAAEA
    AAMPAAAAqtQYKCQCAAAAAAAA9wEAAGNhuNgIkZSeqKI0AgEAAQEAAQMRAAAAgo5dDUsCAAAAAAAAHgIAAN/egDQCkZSeqKI0AgEAAQAA
    AgAAAxMAAADD7UqzdAIAAAAAAABHAgAA21spowKRlJ6oojQGBAABBgABAAIAAAMPAAAAIVlWTJ8CAAAAAAAAcgIAAJ4ywvUIkZSeqKI0
    CAQBAQIAAQMVAAAACxtCBsYCAAAAAAAAmQIAAGbQgJsCkZSeqKI0CAQBAQACAAIBMQIBAAMPAAAApbbKzPMCAAAAAAAAxgIAANh6KfUI
    kZSeqKI0CAQCAQIBAQMwAAAAiZXNyRoDAAAAAAAA7QIAANDaSkECkZSeqKI0CAQCAQEAElRlc3RFcnJvcihubyByb29tKQlUZXN0RXJy
    b3IAAAICAAMPAAAAYeFtg2IDAAAAAAAANQMAANB9wVQIkZSeqKI0CAQDAQICAQMVAAAATw2DuIkDAAAAAAAAXAMAAAmfT8YCkZSeqKI0
    CAQDAQACAAIBMwIDAAMSAAAA9JXs67YDAAAAAAAAiQMAAP2ZZwwCkZSeqKI0BwQAAQcDAAIDAAMhAAAAg0eOXOADAAAAAAAAswMAAKCj
    8OgCkZSeqKI0DQQAAQAEAQVzaXplcwIBBgVbMSwzXQMDAAMRAAAA0Bq9nxkEAAAAAAAA7AMAAMnVJ5UGBQEBrq/Nq4qsmAMAAwMAAxEA
    AACuTdLbQgQAAAAAAAAVBAAAGwruawKTr56oojQCBQABAAAEAwADDwAAALhLkPtrBAAAAAAAAD4EAAAu2J7kCPGxnqiiNAIGAAEEAwED
    LwAAADd7NAWSBAAAAAAAAGUEAAAesjmSAvGxnqiiNAIGAAEBAA9UZXN0RXJyb3IoYnVzeSkJVGVzdEVycm9yAQAAAAQDAAM=
    """,
    4: """
    iU9GSg0KGgoCAAAACQAAAGwiZ5xyofHqLQAAAAAAAABwdWJsaXNoLTGukFZAWAEAAJ6JVjUtAAAAAAAAAAAAAABPV8KxAQQHUHVibGlz
    aI399JyiNAcKMS4gbWVhc3VyZQdjbG9zdXJlAAAAACEyLiBDYXNlcyA+IHRhcmdldD13ZWIgPiAxLiBzaHJpbmsHY2xvc3VyZQQAAAAf
    Mi4gQ2FzZXMgPiBvdGhlcndpc2UgPiAxLiBvdGhlcgdjbG9zdXJlBAEAAAgyLiBDYXNlcx1jYXNlczogdGFyZ2V0PXdlYiB8IG90aGVy
    d2lzZQAAAAAJMy4gdXBsb2FkOGdyb3VwIG9mIGEgc2VxdWVuY2Ugd2l0aCBvdXRwdXRzIHRoYXQgdG9sZXJhdGVzIGNvdW50KDEpAAAA
    AAg0LiBwYXVzZQlvcGVyYXRpb24AAAABEHdhaXRzIGZvciBhIHRpbWUKNS4gcHVibGlzaBtjbG9zdXJlLCBhdCBtb3N0IDIgYXR0ZW1w
    dHMAAAAAAQZ0YXJnZXQAAQEFIndlYiIZAAAAnFIJVZ0BAAAAAAAAAAAAAEL4+WUC7v30nKI0AgAAAQAEAQRzaXplAQECAjQwDwAAAGRB
    i1DOAQAAAAAAADEAAABCdcvYAu/99JyiNAMDAAEEAQAADQAAAAQiY8v1AQAAAAAAAFgAAADDycGUAu/99JyiNAIBAAEAAA8AAAC8QxRZ
    GgIAAAAAAAB9AAAAi5ygtALv/fScojQGBAABBgABABEAAAA/U7GjQQIAAAAAAACkAAAAc3QJgAL7/fScojQIBAEBAAIAAgExLAAAAG4u
    6s1qAgAAAAAAAM0AAABEmarjAvv99JyiNAgEAgEBABJUZXN0RXJyb3Iobm8gcm9vbSkJVGVzdEVycm9yAAARAAAAkkYRtq4CAAAAAAAA
    EQEAAJJLNEMC/P30nKI0CAQDAQACAAIBMw4AAABQoC8t1wIAAAAAAAA6AQAAUXE0WQL8/fScojQHBAABBwMAHQAAANmP2ef9AgAAAAAA
    AGABAABDkECrAvz99JyiNA0EAAEABAEFc2l6ZXMCAQYFWzEsM10NAAAAzKMoujIDAAAAAAAAlQEAAH7be/IGBQEB3Zb48bGrmAMADQAA
    AL+aExxXAwAAAAAAALoBAAA9AL+hAq/+9JyiNAIFAAEAACsAAAChfwdnfAMAAAAAAADfAQAAkgaDgQKv/vScojQCBgABAQAPVGVzdEVy
    cm9yKGJ1c3kpCVRlc3RFcnJvcgEAAAA=
    """,
    3: """
    iU9GSg0KGgoCAAAACQAAALZUx70/GUmPLQAAAAAAAABwdWJsaXNoLTFXxtbGQAEAAIohW/MtAAAAAAAAAAAAAABycLZGAQMHUHVibGlz
    aOL3nPOgNAcKMS4gbWVhc3VyZQdjbG9zdXJlAAAAITIuIENhc2VzID4gdGFyZ2V0PXdlYiA+IDEuIHNocmluawdjbG9zdXJlBAAAHzIu
    IENhc2VzID4gb3RoZXJ3aXNlID4gMS4gb3RoZXIHY2xvc3VyZQQBAAgyLiBDYXNlcx1jYXNlczogdGFyZ2V0PXdlYiB8IG90aGVyd2lz
    ZQAAAAkzLiB1cGxvYWQ4Z3JvdXAgb2YgYSBzZXF1ZW5jZSB3aXRoIG91dHB1dHMgdGhhdCB0b2xlcmF0ZXMgY291bnQoMSkAAAAINC4g
    cGF1c2UJb3BlcmF0aW9uAAAACjUuIHB1Ymxpc2gbY2xvc3VyZSwgYXQgbW9zdCAyIGF0dGVtcHRzAAAAAQZ0YXJnZXQAAQEFIndlYiIZ
    AAAAzEEJTIUBAAAAAAAAWAEAAHGODnUC7fic86A0AgAAAQAEAQRzaXplAQECAjQwDwAAAJ7ths62AQAAAAAAAIkBAAAHwys1Au34nPOg
    NAMDAAEEAQAADQAAAIqE/UvdAQAAAAAAALABAACf9E41Au34nPOgNAIBAAEAAA8AAADu+jbAAgIAAAAAAADVAQAALfO8iALt+JzzoDQG
    BAABBgABABEAAACxfoP4KQIAAAAAAAD8AQAA0k0vtgLt+JzzoDQIBAEBAAIAAgExLAAAADG9LNtSAgAAAAAAACUCAABd1U0pAu74nPOg
    NAgEAgEBABJUZXN0RXJyb3Iobm8gcm9vbSkJVGVzdEVycm9yAAARAAAADJso2pYCAAAAAAAAaQIAAHyXEXEC7vic86A0CAQDAQACAAIB
    Mw4AAADMFeZZvwIAAAAAAACSAgAAPcsx/ALu+JzzoDQHBAABBwMAHQAAAF8ZNUzlAgAAAAAAALgCAAD0CksNAu74nPOgNA0EAAEABAEF
    c2l6ZXMCAQYFWzEsM10NAAAAVHogGBoDAAAAAAAA7QIAACX7c8QGBQEBn6iQmoShmAMADQAAAKylwic/AwAAAAAAABIDAADBsfExAvf4
    nPOgNAIFAAEAACsAAACw3fQIZAMAAAAAAAA3AwAArrfhOgL3+JzzoDQCBgABAQAPVGVzdEVycm9yKGJ1c3kpCVRlc3RFcnJvcgEAAAA=
    """,
    2: """
    iU9GSg0KGgoCAAAACQAAAOPUrlLZ4k9RLQAAAAAAAABwdWJsaXNoLTHNonL0KgEAAFmm17stAAAAAAAAAAAAAADdhus4AQIHUHVibGlz
    aMqWuLGgNAYKMS4gbWVhc3VyZQdjbG9zdXJlAAAAITIuIENhc2VzID4gdGFyZ2V0PXdlYiA+IDEuIHNocmluawdjbG9zdXJlBAAAHzIu
    IENhc2VzID4gb3RoZXJ3aXNlID4gMS4gb3RoZXIHY2xvc3VyZQQBAAgyLiBDYXNlcx1jYXNlczogdGFyZ2V0PXdlYiB8IG90aGVyd2lz
    ZQAAAAkzLiB1cGxvYWQ4Z3JvdXAgb2YgYSBzZXF1ZW5jZSB3aXRoIG91dHB1dHMgdGhhdCB0b2xlcmF0ZXMgY291bnQoMSkAAAAKNC4g
    cHVibGlzaBtjbG9zdXJlLCBhdCBtb3N0IDIgYXR0ZW1wdHMAAAABBnRhcmdldAABAQUid2ViIhkAAAB8SfHbbwEAAAAAAABCAQAA0YWR
    mQLKlrixoDQCAAABAAQBBHNpemUBAQICNDAPAAAA8wY43qABAAAAAAAAcwEAAOoNBKoCypa4saA0AwMAAQQBAAANAAAAXtNphscBAAAA
    AAAAmgEAAHZA688Cypa4saA0AgEAAQAADwAAABe/j3nsAQAAAAAAAL8BAAD4pSbFAsuWuLGgNAYEAAEGAAEAEQAAABRG+NYTAgAAAAAA
    AOYBAAAuOUGJAsuWuLGgNAgEAQEAAgACATEsAAAAAwZjZjwCAAAAAAAADwIAAAKtcdoCy5a4saA0CAQCAQEAElRlc3RFcnJvcihubyBy
    b29tKQlUZXN0RXJyb3IAABEAAADLgAO6gAIAAAAAAABTAgAAQnBPtALLlrixoDQIBAMBAAIAAgEzDgAAAB2XK12pAgAAAAAAAHwCAACZ
    tl5gAsuWuLGgNAcEAAEHAwAdAAAAmf+4Hs8CAAAAAAAAogIAABN0SbICzJa4saA0DQQAAQAEAQVzaXplcwIBBgVbMSwzXSsAAAASJuMt
    BAMAAAAAAADXAgAAplXDEgLMlrixoDQCBQABAQAPVGVzdEVycm9yKGJ1c3kpCVRlc3RFcnJvcgEAAAA=
    """,
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
    let outcome = await Self.flow(ran, version: version).run(id: "publish-1", in: store)
    #expect(outcome.isSuccess && ran.entries == ["publish 2"])
    #expect(outcome.report[Self.sizes] == [1, 3] && outcome.report["size"] == 40)
    #expect(outcome.report.itemFailures.map(\.index) == [1])
    #expect(try await store.unfinished().isEmpty)
  }

  @Test func `the file of the current version is what is written today`() {
    // A new version of the entries needs another file here, and the older files stay.
    #expect(Self.files.keys.max() == JournalEntry.version)
  }
}
