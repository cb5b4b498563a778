import TestSupport

@testable import OperationFlow
@testable import OperationFlowTesting

extension FlowKey where Value == String {
  static var email: Self { "email" }
  static var token: Self { FlowKey("token", sensitive: true) }
  static var target: Self { "target" }
  static var greeting: Self { "greeting" }
}

extension FlowKey where Value == [String] {
  static var photos: Self { "photos" }
  static var links: Self { "links" }
}

final class LoginOp: FlowOperation, @unchecked Sendable {
  @FlowInput(.email) var email
  @FlowOutput(.token) var token

  override func run() async throws {
    guard email.contains("@") else { throw TestError(name: "no address") }
    log(message: "logging in", level: .debug)
    reportProgress(0.5)
    token = "token of \(email)"
    log(message: "logged in")
    reportProgress(1)
  }
}

/// A flow with a step of each kind.
func publishing() -> Flow {
  let web = Flow().add("resize") { $0.log("resized") }.add("watermark") { _ in }
  return Flow("Publish")
    .set(.target, to: "web")
    .add(LoginOp())
    .add("greet") { context in
      context.log("hello")
      context[.greeting] = try "Hello, \(context.require(.email))"
    }
    .cases(on: .target) {
      $0.when("web") { $0.add(flow: web, .named("web")) }
      $0.otherwise { $0.add("print") { _ in } }
    }
    .forEach(.photos, into: .links, width: 3) { (photo: String, context: FlowContext) async throws -> String in
      context.log("uploading \(photo)")
      await Task.yield()
      return "https://\(photo)"
    }
    .add("notify") { $0.log("\($0[.links]?.count ?? 0) links") }
}

let given: [String: any Sendable] = ["email": "a@b.c", "photos": ["a", "b", "c"]]

extension Flow {
  /// Gives each step that does some work several attempts.
  func tried(_ count: Int, delay: Duration = .zero, timeout: Duration? = nil) -> Flow {
    let plan = AttemptPlan(count: count, timeout: timeout)
    let blueprint = state.withLock { $0.sharedBlueprint() }.value.rebuilt { steps, _ in
      for id in steps.indices {
        switch steps[id].kind {
        case .operation, .closure, .group:
          steps[id].changeOptions { ($0.attempts, $0.retry) = (plan, .attempts(count, delay: delay)) }
        case .cases, .flow, .parallel: break
        }
      }
    }
    return copy(blueprint)
  }
}
