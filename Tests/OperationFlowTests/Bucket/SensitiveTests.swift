import TestSupport
import Testing

@testable import OperationFlow

/// The value of a key that is marked sensitive stands in no text.
@Suite(.watched) struct SensitiveTests {
  private static let secret = "hunter2"
  private let key = FlowKey<String>("password", sensitive: true)

  /// All texts of a run: its summary, and its error in each form.
  private func texts(_ outcome: FlowOutcome) -> String {
    let failures = outcome.report.itemFailures.map { "\($0.error)" }
    let error = outcome.error.map { "\($0) \($0.localizedDescription)" } ?? ""
    return outcome.report.summary + error + failures.joined() + outcome.report.events.map { "\($0)" }.joined()
  }

  private func isHidden(_ outcome: FlowOutcome) -> Bool { !texts(outcome).contains(Self.secret) }

  @Test func `not where the bucket is listed, added to, replaced and removed`() async {
    let outcome = await Flow()
      .setDataBucket(dataBucket: ["password": Self.secret]).markSensitive("password")
      .step { operation in
        operation.setData(name: "password", value: Self.secret + "!")
        operation.setData(name: "password", value: String?.none)
        operation.setData(name: "password", value: Self.secret + "?")
        operation.finishSuccessfully()
      }.run()
    #expect(isHidden(outcome))
    #expect(outcome.report.lines.contains("[DataBucket] replace for password: <redacted> -> <redacted>"))
    #expect(outcome.report.lines.contains("[DataBucket] remove for password: <redacted>"))
    #expect(outcome.report.lines.contains("[DataBucket] add for password: <redacted>"))
    #expect(outcome.report[key] == Self.secret + "?")
  }

  @Test func `not when the mark comes before the data`() async {
    let outcome = await Flow().markSensitive("password").setDataBucket(dataBucket: ["password": Self.secret])
      .step().run()
    #expect(isHidden(outcome))
  }

  @Test func `not when the mark comes after the data was set by name`() async {
    let outcome = await Flow().setData(name: "password", value: Self.secret).markSensitive("password").step().run()
    #expect(isHidden(outcome))
  }

  @Test func `not when it is written by a key that is sensitive`() async {
    let outcome = await Flow().setData(name: key, value: Self.secret)
      .step { [key] operation in
        operation.setData(name: key, value: Self.secret + "!")
        operation.setData(name: "password", value: Self.secret + "?")
        operation.finishSuccessfully()
      }.run()
    #expect(isHidden(outcome))
  }

  @Test func `not in the message of a mismatch`() async {
    let flow = Flow().setData(name: key, value: Self.secret)
    let outcome = await flow.step { let _: Int? = $0.getData(name: "password") }.run()
    #expect(isHidden(outcome))
    #expect("\(outcome.error as Any)".contains("<password> in data bucket is <redacted> with type <String>"))
  }

  @Test func `not in the message of a mismatch if only the reader's key is sensitive`() async {
    let wrong = FlowKey<Int>("password", sensitive: true)
    let bucket = DataBucket(["password": Self.secret])
    #expect { try bucket.require(wrong) } throws: { !"\($0)".contains(Self.secret) }
  }

  @Test func `not when cases are chosen, nor when none fits`() async {
    let chosen = await Flow().setData(name: key, value: Self.secret)
      .add(SuccessOp(), flowCase: FlowCase(key: "password", value: Self.secret)).run()
    #expect(isHidden(chosen))
    #expect(chosen.report.lines.contains("[Cases] chosen: password=<redacted>"))
    let missed = await Flow().setData(name: key, value: Self.secret)
      .add(SuccessOp(), flowCase: FlowCase(key: "password", value: "other")).run()
    #expect(isHidden(missed))
  }

  @Test func `not if only the case's key is sensitive`() async {
    for value in [Self.secret, "other"] {
      let outcome = await Flow().add(BlockOp { $0.finishSuccessfully() })
        .add(SuccessOp(), flowCase: FlowCase(key: key, value: value))
        .setDataBucket(dataBucket: ["password": Self.secret]).run()
      let lines = outcome.report.lines.filter { $0.hasPrefix("[Cases]") }.joined()
      #expect(!lines.contains(Self.secret))
    }
  }

  @Test func `not when an update writes it`() async {
    let recorder = Recorder()
    let bucket = DataBucket(["password": Self.secret], sensitiveNames: [], recorder: recorder)
    bucket.update(key, default: "") { $0 += "!" }
    #expect(!recorder.events.contains { $0.kind.summaryText.contains(Self.secret) })
    #expect(bucket.listing().map(\.text) == ["<redacted>"])
  }

  @Test func `not when a read of its type comes as the key's first use`() async {
    let outcome = await Flow().setDataBucket(dataBucket: [:])
      .step { [key] in
        $0.setData(name: key, value: Self.secret)
        $0.finishSuccessfully()
      }
      .step { let _: [Int]? = $0.getData(name: "password") }.run()
    #expect(isHidden(outcome))
  }
}

extension SensitiveTests {
  final class SecretiveOp: FlowOperation, @unchecked Sendable {
    @FlowInput(FlowKey<String>("password", sensitive: true)) var password
    override func mainLogic() { finishSuccessfully() }
  }

  @Test func `not if only an operation declares that it is sensitive`() async {
    let outcome = await Flow().add(SecretiveOp()).run(with: ["password": Self.secret])
    #expect(outcome.isSuccess)
    #expect(!outcome.report.summary.contains(Self.secret))
  }
}
