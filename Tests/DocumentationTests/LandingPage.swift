import OperationFlow
import TestSupport
import Testing

enum LandingPage {
  static func welcome(print: Printer) async {
    final class GreetOp: FlowOperation, @unchecked Sendable {
      @FlowInput var visitor: String
      @FlowOutput var greeting: String?

      override func run() async throws {
        greeting = "Hello, \(visitor)"
        log(message: "greeted \(visitor)")
      }
    }

    let outcome = await Flow("Welcome")
      .set("visitor", to: "Ann")
      .add(GreetOp())
      .add("count") { context in
        let greeting: String = try context.require("greeting")
        context.log("\(greeting.count) characters")
      }
      .run()
    print(outcome.report.summary)
  }
}

@Suite(.watched) struct LandingPageTests {
  @Test func `it greets and counts`() async {
    let print = Printer()
    await LandingPage.welcome(print: print)
    let summary = print.texts.joined().withoutTimes
    #expect(summary.contains("[GreetOp] greeted Ann") && summary.contains("[count] 10 characters"))
    #expect(summary.hasSuffix("Flow isSuccess: true\n======    Ending    ======\n"))
  }
}
