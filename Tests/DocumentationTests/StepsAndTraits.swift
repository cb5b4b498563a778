import Foundation
import OperationFlow
import TestSupport
import Testing

extension FlowKey where Value == String {
  static var email: Self { "email" }
  static var token: Self { FlowKey("token", sensitive: true) }
}
extension FlowKey where Value == String {
  static var seat: Self { "seat" }
  static var ticket: Self { "ticket" }
}
extension FlowKey where Value == Bool {
  static var wantsTicket: Self { "wantsTicket" }
}
extension FlowKey where Value == [URL] {
  static var photos: Self { "photos" }
  static var links: Self { "links" }
}

final class LoginOp: FlowOperation, @unchecked Sendable {
  @FlowInput(.email) var email
  @FlowOutput(.token) var token

  override func run() async throws {
    token = try await api.login(email)
    log(message: "logged in as \(email)")
  }
}

struct API: Sendable {
  func login(_ email: String) async throws -> String { "token of \(email)" }

  func reserve(_ email: String) async throws -> String { "seat of \(email)" }

  func upload(_ photo: URL, token: String) async throws -> URL {
    URL(fileURLWithPath: "/uploaded").appendingPathComponent(photo.lastPathComponent)
  }
}

let api = API()

enum StepsAndTraits {
  static func publish() -> Flow {
    let flow = Flow("Publish")
      .add(LoginOp(), .named("log in"), .weight(3))
      .add("reserve", .reads(.email), .writes(.seat)) { context in
        context[.seat] = try await api.reserve(context.require(.email))
      }
      .forEach(.photos, into: .links, width: 3, .named("upload"), .reads(.token)) { photo, context in
        try await api.upload(photo, token: context.require(.token))
      }
      .add("notify", .reads(.links), .writesNothing) { context in
        try context.log("\(context.require(.links).count) links")
      }
    return flow
  }

  static func sometimes() -> Flow {
    let flow = Flow("Publish")
      .add(LoginOp(), .when { !$0.contains(.token) })
      .add("print", .when(.wantsTicket), .reads(.ticket), .writesNothing) { context in
        try context.log("printing \(context.require(.ticket))")
      }
      .add("notify", .when(.links) { $0.count > 1 }, .writesNothing) { context in
        context.log("\(context[.links]?.count ?? 0) links")
      }
    return flow
  }

  static func mistake(print: Printer) -> Flow {
    let flow = Flow("Publish")
      .set(.email, to: "a@b.c")
      .add("reserve", .reads(.email), .writes(.seat)) { context in
        context[.seat] = try await api.reserve(context.require(.email))
      }
      .add("print", .reads(.ticket), .writesNothing) { context in
        try context.log(context.require(.ticket))
      }
    print(flow.validate())
    return flow
  }

  static func list(_ flow: Flow, print: Printer) {
    for step in flow.blueprint.allSteps {
      print("\(step.path) reads \(step.inputs.map(\.name)), writes \(step.outputs.map(\.name))")
    }
  }

  @Sendable static func greet(_ context: FlowContext) { context.log("hello") }
}

@Suite(.watched) struct StepsAndTraitsTests {
  private typealias Article = StepsAndTraits

  @Test func `steps run only if their conditions are met`() async {
    let values: [String: any Sendable] = [
      "token": "t", "wantsTicket": false, "ticket": "A 1",
      "links": [URL(fileURLWithPath: "/a"), URL(fileURLWithPath: "/b")],
    ]
    let report = await StepsAndTraits.sometimes().run(with: values).report
    #expect(report.started == ["[notify]"])
    #expect(report.steps.map(\.end) == [.skipped, .skipped, .succeeded])
    #expect(report.summary.contains("[print] skipped: its condition is not met. <wantsTicket> is <false>."))
  }

  @Test func `traits name steps and declare their keys`() async {
    let flow = Article.publish()
    #expect(flow.validate().map(\.key) == ["email", "email", "photos"])
    let outcome = await flow.run {
      $0[.email] = "a@b.c"
      $0[.photos] = [URL(fileURLWithPath: "/photos/1.jpg")]
    }
    let started = outcome.report.events.filter { $0.kind == .started }.map(\.source.description)
    #expect(started == ["[log in]", "[reserve]", "[upload #0]", "[notify]"])
    #expect(outcome.report[.seat] == "seat of a@b.c")
    #expect(!outcome.report.summary.contains("warning:"))
  }

  @Test func `a blueprint shows each step's path and keys as the article does`() throws {
    let print = Printer()
    Article.list(Article.publish(), print: print)
    let text = try SourceTree.text(of: "Sources/OperationFlow/OperationFlow.docc/StepsAndTraits.md")
    #expect(text.contains(print.texts.joined(separator: "\n")), "\(print.texts)")
  }

  @Test func `a mistake is found behind a closure that declares what it writes`() async throws {
    let print = Printer()
    let flow = Article.mistake(print: print)
    let text = try SourceTree.text(of: "Sources/OperationFlow/OperationFlow.docc/StepsAndTraits.md")
    let shown = try #require(text.split(separator: "\n").first { $0.hasPrefix("[error: ") }).dropLast("…]".count)
    #expect(print.texts.first?.hasPrefix(shown) == true)
    #expect(await flow.run().report.events.count { $0.kind == .started } == 0)
  }

  @Test func `behind one that does not, the mistake shows when it runs`() async {
    let outcome = await Flow().add("reserve") { _ in }
      .add("print", .reads(.ticket)) { try $0.log($0.require(.ticket)) }
      .run()
    #expect((outcome.error as? FlowError)?.code == .missingData)
    #expect(outcome.report.events.count { $0.kind == .started } == 2)
  }

  @Test func `a function stands behind its label`() async {
    let outcome = await Flow().add("greet", run: Article.greet).run()
    #expect(outcome.report.summary.contains("[greet] hello"))
  }

  /// The article's table has every way that the interface offers.
  @Test func `the table lists the interface's overloads`() throws {
    let builder = SourceTree.files(in: "Sources/OperationFlow/Builder", ending: ".swift")
      .filter { !$0.contains("Deprecated") && !$0.contains("Mistakes") && !$0.contains("Progression") }
    let code = try builder.map(SourceTree.text).joined()
    let article = try SourceTree.text(of: "Sources/OperationFlow/OperationFlow.docc/StepsAndTraits.md")
    for (method, limit) in [("add", 5), ("forEach", 9)] {
      let declared = code.ranges(of: try Regex("public func \(method)[<(]")).count
      let listed = article.split(separator: "\n").filter { $0.hasPrefix("| ") }
        .reduce(0) { $0 + $1.ranges(of: "`\(method)(").count }
      #expect(declared == listed && declared <= limit)
    }
  }
}
