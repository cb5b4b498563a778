import OperationFlow
import TestSupport
import Testing

extension FlowKey where Value == String {
  fileprivate static var token: Self { "token" }
}

/// Declares a token, and finishes in one of several ways; by default, it succeeds without the token.
private final class LoginOp: FlowOperation, @unchecked Sendable {
  enum Way { case nothing, assigning, setting, failing }
  @FlowOutput(.token) var token
  private let way: Way

  init(_ way: Way) { self.way = way }

  override func run() async throws {
    switch way {
    case .nothing: break
    case .assigning: token = "assigned"
    case .setting: setData(name: .token, value: "set")
    case .failing: throw TestError()
    }
  }
}

private final class ProfileOp: FlowOperation, @unchecked Sendable {
  @FlowInput(.token) var token
  override func run() async throws {}
}

/// A declared output is written, or the record names the step that didn't write it.
@Suite(.watched) struct MissingOutputTests {
  private static let warning =
    "<token> is declared as an output, and was not written: write it before the step succeeds, or do not declare it."

  @Test func `an output that a successful operation never assigned is a warning of it, and the later error names it`()
    async throws
  {
    let outcome = await Flow("Login").add(flow: Flow("session").add(LoginOp(.nothing))).add(ProfileOp()).run()
    #expect(outcome.report.warnings == ["[LoginOp] \(Self.warning)"])
    let error = try #require(outcome.error as? FlowError)
    #expect(error.code == .missingData && error.key == "token" && error.path == "2. ProfileOp")
    #expect(
      error.problem
        == "can't find <token> in data bucket, declared by [LoginOp] (1. session > 1. LoginOp), which succeeded without assigning it"
    )
    #expect(
      error.remedy
        == "Write <token> in [LoginOp] (1. session > 1. LoginOp) before it succeeds, or do not declare it there.")
  }

  @Test func `there is none if it is assigned, or written by its name, or if the operation fails`() async {
    for way in [LoginOp.Way.assigning, .setting, .failing] {
      #expect(await Flow().add(LoginOp(way)).run().report.warnings == [])
    }
  }

  @Test func `what an earlier step has written is not the operation's own`() async {
    let outcome = await Flow().set(.token, to: "old").add(LoginOp(.nothing)).add(ProfileOp()).run()
    #expect(outcome.isSuccess && outcome.report.warnings == ["[LoginOp] \(Self.warning)"])
  }

  @Test func `a trait's key is looked for as well, and named once`() async throws {
    let reading = Flow().add("log in", .writes(.token)) { _ in }.add("read") { _ = try $0.require(.token) }
    let waiting = Flow().add("log in", .writes(.token)) { _ in await Task.yield() }.add("read") {
      _ = try $0.require(.token)
    }
    let operation = Flow().add(SuccessOp(), .writes(.token), .named("log in")).add("read") {
      _ = try $0.require(.token)
    }
    let both = Flow().add(LoginOp(.nothing), .writes(.token), .named("log in")).add("read") {
      _ = try $0.require(.token)
    }
    for flow in [reading, waiting, operation, both] {
      let outcome = await flow.run()
      #expect(outcome.report.warnings == ["[log in] \(Self.warning)"])
      let error = try #require(outcome.error as? FlowError)
      #expect(error.problem.hasSuffix("declared by [log in] (1. log in), which succeeded without assigning it"))
    }
  }

  @Test func `a group's items are looked at together, and not at all if there are none`() async {
    let flow = { (items: Range<Int>) in
      Flow().forEach(in: items, .named("items"), .writes(.token)) { item, context in
        if item == 7 { context[.token] = "written" }
      }
    }
    #expect(await flow(0..<5).run().report.warnings == ["[items] \(Self.warning)"])
    #expect(await flow(0..<9).run().report.warnings == [])
    #expect(await flow(0..<0).run().report.warnings == [])
  }

  @Test func `it is not to blame once another step has written the name`() async throws {
    let removed = Flow().add("log in", .writes(.token)) { _ in }
      .add("write") { $0[.token] = "written" }
      .add("drop") { $0[FlowKey<String>.token] = nil }
      .add("read") { _ = try $0.require(.token) }
    let error = try #require(await removed.run().error as? FlowError)
    #expect(error.problem == "can't find <token> in data bucket" && !error.remedy.contains("log in"))
    // The value is missing in the bucket of another run.
    let inner = Flow("inner").add("read") { _ = try $0.require(.token) }
    let other = Flow().add("log in", .writes(.token)) { _ in }
      .add("run") { _ in if let error = await inner.run().error { throw error } }
    let passedOn = try #require(await other.run().error as? FlowError)
    #expect(passedOn.flow == "inner" && passedOn.problem == "can't find <token> in data bucket")
  }

  @Test func `runs of the same flow do not mix`() async throws {
    let flow = Flow().add("log in", .writes(.token)) { context in
      if context[FlowKey<Bool>("writes")] == true { context[.token] = "written" }
    }.add("drop") { $0[FlowKey<String>.token] = nil }.add("read") { _ = try $0.require(.token) }
    let broken = try #require(await flow.run().error as? FlowError)
    #expect(broken.problem.contains("declared by [log in]"))
    let kept = try #require(await flow.run(with: ["writes": true]).error as? FlowError)
    #expect(kept.problem == "can't find <token> in data bucket")
  }

  @Test func `items that miss it are told who is to blame, until another step has written the name`() async {
    let miss: @Sendable (Int, FlowContext) throws -> Void = { item, context in
      if item == 20 {
        context[.token] = "written"
        context[FlowKey<String>.token] = nil
      }
      _ = try context.require(.token)
    }
    let outcome = await Flow().recording(.everything).add("log in", .writes(.token)) { _ in }
      .forEach(in: 0..<40, width: 1, tolerating: .all, run: miss)
      .run()
    let areToBlame = outcome.report.itemFailures.map { "\($0.error)".contains("declared by [log in]") }
    #expect(areToBlame == (0..<40).map { $0 < 20 })
  }
}
