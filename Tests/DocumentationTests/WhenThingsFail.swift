import Foundation
import OperationFlow
import TestSupport
import Testing

extension FlowKey where Value == [String] {
  static var drafts: Self { "drafts" }
}
extension FlowKey where Value == [URL] {
  static var addresses: Self { "addresses" }
}
extension FlowKey where Value == [String: Double] {
  static var rates: Self { "rates" }
}

struct Rejected: Error {}

final class SignInOp: FlowOperation, @unchecked Sendable {
  override func run() async throws { log(message: "signed in") }
}

let yesterday = ["EUR": 1.0]

func send(_ draft: String) async throws -> URL { URL(fileURLWithPath: "/" + draft) }
func render() async throws {}
func loadRates() async throws -> [String: Double] { throw Rejected() }

struct Busy: FlowRetryDelaying {
  /// From the header `Retry-After`, if the server has sent it.
  let retryDelay: Duration?
}

enum WhenThingsFail {
  static func retrying() -> Flow {
    let flow = Flow("Publish")
      .add(SignInOp(), .retry(.attempts(3)))
      .forEach(
        .drafts, into: .addresses, width: 4,
        .retry(.exponential(attempts: 5, first: .milliseconds(200), limit: .seconds(10)), when: { !($0 is Rejected) })
      ) { draft, _ in
        try await send(draft)
      }
    return flow
  }

  static func careful() -> Flow {
    let careful = Flow("Publish").retryBudget(.share(0.1, atLeast: 20))
    return careful
  }

  static func limited() -> Flow {
    let flow = Flow("Publish")
      .deadline(.minutes(10))
      .add(SignInOp(), .retry(.attempts(3)), .timeout(.seconds(10)), .timeout(.seconds(25), of: .allAttempts))
      .add("render", .timeout(.seconds(60), abandoningAfter: .seconds(5))) { _ in
        try await render()
      }
    return flow
  }

  static func recovering(print: Printer) async -> FlowOutcome {
    let flow = Flow("Report")
      .add(
        "rates", .retry(.attempts(2)),
        .recover { error, context in
          context.log("using the rates of yesterday: \(error)", level: .warning)
          context[.rates] = yesterday
        }
      ) { context in
        context[.rates] = try await loadRates()
      }
    let outcome = await flow.run()
    for recovery in outcome.report.recoveries { print(recovery.name, "after", recovery.attempts, "attempts") }
    return outcome
  }
}

@Suite(.watched) struct WhenThingsFailTests {
  @Test func `the flows of the article run`() async throws {
    let retried = WhenThingsFail.retrying().set(.drafts, to: ["a", "b"])
    #expect(try await retried.run().get()[.addresses]?.map(\.path) == ["/a", "/b"])
    #expect(await WhenThingsFail.limited().run().isSuccess)
    #expect(await WhenThingsFail.careful().add("step") { _ in }.run().isSuccess)
  }

  @Test func `a recovery reads as the article says`() async {
    let print = Printer()
    let outcome = await WhenThingsFail.recovering(print: print)
    #expect(outcome.report[.rates] == yesterday && print.texts == ["[rates] after 2 attempts"])
    #expect(outcome.report.summary.contains("[rates] warning: using the rates of yesterday: Rejected()"))
  }

  @Test func `the last line of the summary reads as the article shows`() async throws {
    let outcome = await Flow().add("sign in", .retry(.attempts(3))) { _ in throw Rejected() }.run()
    let line = "Flow isSuccess: false, failed in [sign in] (attempt 3): Rejected()"
    #expect(outcome.report.summary.contains(line))
    #expect(try SourceTree.text(of: "Sources/OperationFlow/OperationFlow.docc/WhenThingsFail.md").contains(line))
  }
}
