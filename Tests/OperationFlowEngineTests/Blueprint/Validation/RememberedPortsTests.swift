import TestSupport
import Testing

@testable import OperationFlow

/// The ports found for a flow's factories are shared by all of its runs, and with no other flow.
@Suite(.watched, .serialized) struct RememberedPortsTests {
  /// An operation that counts its instances, and whose default input key is global state.
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

  /// Returns the number of operations that are created while the body runs.
  private func made(_ body: () async -> Void) async -> Int {
    let before = CountedOp.made.total
    await body()
    return CountedOp.made.total - before
  }

  private func flow(_ key: FlowKey<Int> = "a") -> Flow { Flow().set(key, to: 1).add(CountedOp()) }

  @Test func `a factory makes one operation for the first check of its flow, and then none but those that run`() async {
    let flow = flow()
    let first = await made { _ = await flow.run() }
    #expect(first == 2)
    let again = await made {
      let outcome = await flow.run()
      #expect(outcome.report["output"] == 2)
    }
    #expect(again == 1)
  }

  @Test func `each flow makes an operation of its own for its check`() async {
    for _ in 0..<2 {
      let count = await made { _ = await flow().run() }
      #expect(count == 2)
      let checked = await made { _ = flow().validate() }
      #expect(checked == 1)
    }
    #expect(await Flow().set("a", to: 1).add(CountedOp("b")).run().code == .missingData)
  }

  @Test func `no flow is refused for what was so in another one`() async {
    #expect(await flow().run().isSuccess)
    CountedOp.key.withLock { $0 = "b" }
    defer { CountedOp.key.withLock { $0 = "a" } }
    for _ in 0..<3 { #expect(await flow("b").run().report["output"] == 2) }
    // The missing key is the one that this flow's own operation declares.
    let refused = await flow("c").run()
    #expect(refused.code == .missingData && (refused.error as? FlowError)?.key == "b")
    #expect(refused.report.started == [])
  }

  @Test func `an object that a factory returns twice is refused in each flow`() async {
    for _ in 0..<2 {
      let refused = await Flow().set("a", to: 1).add(CountedOp.shared).add(CountedOp.shared).run()
      #expect(refused.code == .operationUsedTwice && refused.report.started == [])
    }
  }
}
