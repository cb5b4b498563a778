import Foundation
import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct ReadmeTests {
  @Test func `the first example uploads, keeps what fails, and hides the token`() async {
    let print = Printer()
    let photos = ["1.jpg", "2.jpg", "3.jpg"].map { URL(fileURLWithPath: "/photos/" + $0) }
    let outcome = await Readme.publish(photos, with: API(broken: ["2.jpg"]), print: print)
    #expect(outcome.isSuccess)
    #expect(outcome.report[.links]?.map(\.lastPathComponent) == ["1.jpg", "3.jpg"])
    #expect(outcome.report.itemFailures.map(\.index) == [1])
    #expect(outcome.report.itemFailures.first?.error as? UploadError == UploadError(photo: "2.jpg"))
    let summary = print.texts.joined().withoutTimes
    #expect(
      summary.hasPrefix(
        """
        ====== Flow Summary: Publish ======
        [DataBucket] start with:
        email: a@b.c
        photos: [file:///photos/1.jpg, file:///photos/2.jpg, file:///photos/3.jpg]
        [LoginOp] WillStart
        [LoginOp] logged in as a@b.c
        [DataBucket] add for token: <redacted>
        [LoginOp] DidFinish: successfully
        """))
    #expect(summary.contains("\n[photos] 2 of 3 succeeded, 1 failed\n"))
    #expect(summary.hasSuffix("Flow isSuccess: true\n======    Ending    ======\n"))
  }

  @Test func `the second example takes its branch, uploads, and prints its summary`() async throws {
    let print = Printer()
    printAndUpload(print: print)
    let summary = try #require(await print.first()).withoutTimes
    #expect(summary.contains("[PrintOp] hello") && !summary.contains("world"))
    #expect(summary.contains(#"imageURLs: ["https://images/a", "https://images/b", "https://images/c"]"#))
    #expect(summary.hasSuffix("Flow isSuccess: true\n======    Ending    ======\n"))
  }
}
