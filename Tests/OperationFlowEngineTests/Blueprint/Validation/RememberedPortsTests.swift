import TestSupport
import Testing

@testable import OperationFlow

/// What one flow has found out about a factory that captures nothing is known to the others.
@Suite(.watched, .serialized) struct RememberedPortsTests {
  /// Counts how often it is made, and reads what is global when it is.
  private final class CountedOp: FlowOperation, @unchecked Sendable {
    static let made = Counter()
    static let key = Locked("a")
    static let shared = CountedOp("a")
    @FlowInput var input: Int
    @FlowOutput var output: Int?

    init(_ source: String? = nil) {
      _input = FlowInput(FlowKey(source ?? Self.key.withLock { $0 }))
      super.init()
      Self.made.enter()
    }

    override func mainLogic() {
      output = input + 1
      finishSuccessfully()
    }
  }

  /// How many are made by what the body does.
  private func made(_ body: () async -> Void) async -> Int {
    let before = CountedOp.made.total
    await body()
    return CountedOp.made.total - before
  }

  private func flow(_ key: FlowKey<Int> = "a") -> Flow { Flow().set(key, to: 1).add(CountedOp()) }

  @Test func `a factory that captures nothing makes one for the first check, and then none but those that run`() async {
    _ = await flow().run()
    let again = await made {
      let outcome = await flow().run()
      #expect(outcome.report["output"] == 2)
    }
    #expect(again == 1)
    // What is asked to check makes one in any case.
    let checked = await made { _ = flow().validate() }
    #expect(checked == 1)
  }

  @Test func `one that captures something, or has a name, makes one for each flow`() async {
    for source in ["a", "a", "a"] {
      let count = await made { _ = await Flow().set("a", to: 1).add(CountedOp(source)).run() }
      #expect(count == 2)
    }
    #expect(await Flow().set("a", to: 1).add(CountedOp("b")).run().code == .missingData)
    for _ in 0..<2 {
      let count = await made { _ = await Flow().set("a", to: 1).add(CountedOp(), .named("mine")).run() }
      #expect(count == 2)
    }
  }

  @Test func `no flow is refused for what was so in another one`() async {
    #expect(await flow().run().isSuccess)
    CountedOp.key.withLock { $0 = "b" }
    defer { CountedOp.key.withLock { $0 = "a" } }
    for _ in 0..<3 { #expect(await flow("b").run().report["output"] == 2) }
    // Its own operation says what is missing.
    let refused = await flow("c").run()
    #expect(refused.code == .missingData && (refused.error as? FlowError)?.key == "b")
    #expect(refused.report.started == [])
  }

  @Test func `an object that something else holds is never remembered`() async {
    for _ in 0..<2 {
      let refused = await Flow().set("a", to: 1).add(CountedOp.shared).add(CountedOp.shared).run()
      #expect(refused.code == .operationUsedTwice && refused.report.started == [])
    }
  }

  @Test func `only a function without captures has a code of its own`() {
    let number = Counter()
    let code = FactoryCode { CountedOp() }
    #expect(code != nil)
    #expect(
      FactoryCode {
        number.enter()
        return CountedOp()
      } == nil)
  }
}
