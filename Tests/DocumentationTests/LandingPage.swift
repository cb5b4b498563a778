import OperationFlow
import TestSupport
import Testing

enum LandingPage {
  static func publish(print: Printer) async {
    final class LoginOp: FlowOperation, @unchecked Sendable {
      @FlowInput var email: String
      @FlowOutput var token: String?

      override func run() async throws {
        token = try await api.login(email)
        log(message: "logged in as \(email)")
      }
    }

    let outcome = await Flow("Publish")
      .set("email", to: "a@b.c")
      .add(LoginOp())
      .add("greet") { context in context.log("hello") }
      .run()
    print(outcome.report.summary)
  }
}

@Suite(.watched) struct LandingPageTests {
  @Test func `it logs in and greets`() async {
    let print = Printer()
    await LandingPage.publish(print: print)
    let summary = print.texts.joined().withoutTimes
    #expect(summary.contains("[LoginOp] logged in as a@b.c") && summary.contains("[greet] hello"))
    #expect(summary.hasSuffix("Flow isSuccess: true\n======    Ending    ======\n"))
  }
}
