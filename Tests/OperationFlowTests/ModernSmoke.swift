import Foundation
import Testing

@testable import OperationFlow

extension FlowKey where Value == String {
  static var email: Self { "email" }
  static var password: Self { FlowKey("password", sensitive: true) }
  static var token: Self { FlowKey("token", sensitive: true) }
  static var target: Self { "target" }
}
extension FlowKey where Value == [URL] {
  static var photos: Self { "photos" }
}
extension FlowKey where Value == [String] {
  static var links: Self { "links" }
}

final class ModernLoginOp: FlowOperation, @unchecked Sendable {
  @FlowInput(.email) var email
  @FlowInput(.password) var password
  @FlowInput var attempts: Int = 3
  @FlowInput var nickname: String?
  @FlowOutput(.token) var token

  override func run() async throws {
    await Task.yield()
    token = "secret"
    log(message: "logged in as \(email) \(attempts) \(nickname ?? "-")")
  }
}

@Suite struct ModernSmoke {
  @Test func northstar() async {
    let run = Flow("Publish")
      .set(.email, to: "a@b.c").set(.password, to: "…").set(
        .photos, to: [URL(fileURLWithPath: "/a"), URL(fileURLWithPath: "/b")]
      )
      .set(.target, to: "web")
      .add(ModernLoginOp())
      .cases(on: .target) {
        $0.when("web") { $0.add(SuccessOp()).add(LaterOp()) }
        $0.otherwise { $0.add(SuccessOp()) }
      }
      .forEach(.photos, into: .links, width: 3, tolerating: .failures(2)) { photo, context in
        try await Task.sleep(nanoseconds: 1)
        return try photo.path + context.require(.email)
      }
      .add("notify") { context in context.log("\(context[.links]?.count ?? 0) links") }
      .forEach(in: 0..<10) { (i, context) in context.update("count", default: 0) { $0 += i } }
      .start()
    let progress = run.progress
    for await event in run.events { print(event.source, event.kind.summaryText) }
    let outcome = await run.outcome
    print(outcome.report.summary, progress.fractionCompleted)
    #expect(outcome.isSuccess)
    #expect(progress.fractionCompleted == 1)
    #expect(outcome.report["count"] == 45)
  }

  @Test func validation() async {
    let flow = Flow("Bad").add(ModernLoginOp()).combine()
    for problem in flow.validate() { print(problem) }
    let outcome = await flow.run()
    print(outcome.error!, outcome.report.summary)
  }
}
