import Foundation
import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct SensitiveItemTests {
  private static let secret = "hunter2"

  private func lines(_ outcome: FlowOutcome) -> String {
    outcome.report.lines.joined(separator: "\n") + "\(outcome.error as Any)"
      + outcome.report.itemFailures.map { "\($0.error)" }.joined()
  }

  /// A group over secrets that are read as something else.
  private func mistyped(_ dispatcher: FlowArrayGroupDispatcher) -> Flow {
    Flow().setDataBucket(dataBucket: ["secrets": [Self.secret]])
      .addGrouped(operationCreator: DoubleOp.self, dispatcher: dispatcher)
  }

  @Test func `an item of a sensitive array is in no text`() async {
    let key = FlowKey<[String]>("secrets", sensitive: true)
    let outcome = await mistyped(FlowArrayGroupDispatcher(inputKey: key, outputKey: "out" as FlowKey<[Int]>)).run()
    let text = lines(outcome)
    #expect(text.contains("<item> in data bucket is <redacted> with type <String>"))
    #expect(!text.replacingOccurrences(of: "start with:\nsecrets: [\"hunter2\"]", with: "").contains(Self.secret))
    let marked = await mistyped(FlowArrayGroupDispatcher(inputKey: "secrets", outputKey: "out"))
      .markSensitive("secrets").run()
    #expect(!lines(marked).contains(Self.secret))
  }

  @Test func `an array that is no array is in no text either`() async {
    let outcome = await Flow().setDataBucket(dataBucket: ["secrets": Self.secret]).markSensitive("secrets")
      .add(SuccessOp())
      .addGrouped(
        operationCreator: DoubleOp.self, dispatcher: FlowArrayGroupDispatcher(inputKey: "secrets", outputKey: "out")
      ).run()
    #expect(!lines(outcome).contains(Self.secret))
    #expect(lines(outcome).contains("<secrets> in data bucket is <redacted> with type <String>"))
  }

  @Test func `what an item writes by a sensitive key is in no text`() async {
    let key = FlowKey<String>("token", sensitive: true)
    let outcome = await Flow.group([
      Work {
        $0.setData(name: key, value: Self.secret)
        $0.setData(name: key, value: Self.secret + "!")
        $0.finishSuccessfully()
      }
    ]).run()
    #expect(!lines(outcome).contains(Self.secret))
    #expect(outcome.report.lines.contains("[WorkOp #0] replace for token: <redacted> -> <redacted>"))
  }

  @Test func `what an item wrote by a sensitive key stays hidden when the plain name is used`() async {
    let key = FlowKey<String>("token", sensitive: true)
    let outcome = await Flow.group([
      Work {
        $0.setData(name: key, value: Self.secret)
        $0.setData(name: "token", value: "public")
        $0.setData(name: key, value: Self.secret)
        let _: Int? = $0.getData(name: "token")
      }
    ]).run()
    #expect(!lines(outcome).contains(Self.secret))
  }

  @Test func `an item's output is hidden if the group's output is`() async {
    let dispatcher = FlowArrayGroupDispatcher(
      inputKey: "works" as FlowKey<[Work]>, outputKey: FlowKey<[String]>("tokens", sensitive: true))
    let work = Work {
      $0.setData(name: "output", value: Self.secret)
      $0.finishSuccessfully()
    }
    let outcome = await Flow().setDataBucket(dataBucket: ["works": [work]])
      .addGrouped(operationCreator: WorkOp.self, dispatcher: dispatcher).run()
    #expect(outcome.report.lines.contains("[DataBucket] add for tokens: <redacted>"))
    #expect(!lines(outcome).contains(Self.secret))
  }

  /// Writes a secret by a sensitive key, as its output.
  private final class TokenOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
    static func create() -> FlowOperation { TokenOp() }
    @FlowInput var item: Int
    override var primaryOutputParamKey: String { "token" }
    override func mainLogic() {
      setData(name: FlowKey<String>("token", sensitive: true), value: SensitiveItemTests.secret)
      finishSuccessfully()
    }
  }

  @Test func `a sensitive output is not shown under the plain key of the collected array`() async {
    let outcome = await Flow().forEach(in: 0..<2, into: "collected" as FlowKey<[String]>, run: TokenOp.self)
      .add("later") { $0["collected" as FlowKey<[String]>] = [Self.secret] }.run()
    #expect(outcome.report["collected" as FlowKey<[String]>] == [Self.secret])
    #expect(outcome.report.lines.contains("[DataBucket] add for collected: <redacted>"))
    #expect(!lines(outcome).contains(Self.secret))
  }

  @Test func `a sensitive output that an operation declares hides the collected array from the start`() async {
    final class DeclaringOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
      static func create() -> FlowOperation { DeclaringOp() }
      @FlowInput var item: Int
      @FlowOutput(FlowKey<String>("token", sensitive: true)) var token
      override func mainLogic() {
        token = SensitiveItemTests.secret
        finishSuccessfully()
      }
    }
    let key = "collected" as FlowKey<[String]>
    let outcome = await Flow().set(key, to: [Self.secret]).forEach(in: 0..<2, into: key, run: DeclaringOp.self).run()
    #expect(outcome.isSuccess)
    #expect(!lines(outcome).contains(Self.secret))
  }

  @Test func `an output of another type is in no error if the collected key is marked`() async {
    let outcome = await Flow().markSensitive("tokens")
      .forEach(in: 0..<1, into: "tokens" as FlowKey<[Int]>, run: TokenOp.self).run()
    #expect(lines(outcome).contains("<tokens> in data bucket is <redacted> with type <String>"))
    #expect(!lines(outcome).contains(Self.secret))
  }
}
