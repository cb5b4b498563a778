import TestSupport
import Testing

@testable import OperationFlow

extension FlowKey where Value == String {
  fileprivate static var target: Self { "target" }
}

@Suite(.watched) struct MissingInputRuleTests {
  @Test func `an input that nothing writes is an error, with its path, key and remedy`() throws {
    let problems = Flow().add(WriteOp("a")).add(CopyOp("b")).validate()
    let problem = try #require(problems.first)
    #expect(problems.count == 1)
    #expect(problem.severity == .error)
    #expect(problem.code == .missingData)
    #expect(problem.path == "2. CopyOp")
    #expect(problem.key == "b")
    #expect(problem.problem == "can't find <b> in data bucket: no step before writes it.")
    #expect(problem.remedy.contains("Set <b>"))
    #expect("\(problem)".hasPrefix("error: 2. CopyOp: can't find <b>"))
  }

  @Test func `an input that a step before writes, or that is there at first, is fine`() {
    #expect(Flow().add(WriteOp("a")).add(CopyOp("a")).findings == [])
    #expect(Flow().set("a", to: 1).add(CopyOp("a")).findings == [])
    #expect(Flow().setDataBucket(dataBucket: ["a": 1]).add(operation: CopyOp("a")).findings == [])
  }

  @Test func `an input that only a later step writes is missing`() {
    #expect(Flow().add(CopyOp("a")).add(WriteOp("a")).findings == ["error missingData at 1. CopyOp: a"])
  }

  @Test func `a nil at first is missing`() {
    let nothing: Int? = nil
    let flow = Flow().setDataBucket(dataBucket: ["a": nothing]).add(CopyOp("a"))
    #expect(flow.findings == ["error missingData at 1. CopyOp: a"])
  }

  @Test func `an optional input, and one with a default, need no writer`() {
    final class ModestOp: FlowOperation, @unchecked Sendable {
      @FlowInput var first: Int?
      @FlowInput var second: Int = 1
      @FlowOutput var result: Int?
    }
    #expect(Flow().add(ModestOp()).findings == [])
  }

  @Test func `behind a step that declares nothing, anything may be there`() {
    #expect(Flow().add(SecretWriteOp("a")).add(CopyOp("a")).findings == [])
    #expect(Flow().add("write") { $0["a"] = 1 }.add(CopyOp("a")).findings == [])
    #expect(Flow().add(operation: SecretWriteOp("a")).add(CopyOp("a")).findings == [])
    #expect(Flow().forEach(in: [1]) { $1.set("a", to: $0) }.add(CopyOp("a")).findings == [])
  }

  @Test func `a step that only declares what it reads may write anything`() {
    final class ReadOp: FlowOperation, @unchecked Sendable {
      @FlowInput var a: Int
    }
    #expect(Flow().set("a", to: 1).add(ReadOp()).add(CopyOp("b")).findings == [])
    #expect(Flow().add(ReadOp()).add(CopyOp("b")).findings == ["error missingData at 1. ReadOp: a"])
  }

  @Test func `what only one branch writes is missing behind them, and says that there is a path`() throws {
    let flow = Flow().set(.target, to: "A")
      .cases(on: .target) {
        $0.when("A") { $0.add(WriteOp("a")) }
        $0.otherwise { $0.add(WriteOp("b")) }
      }
      .add(CopyOp("a"))
    #expect(flow.findings == ["error missingData at 2. CopyOp: a"])
    #expect(flow.validate().first?.problem.contains("there is a path on which no step writes it") == true)
  }

  @Test func `what every branch writes is there behind them`() {
    let flow = Flow().set(.target, to: "A")
      .add(WriteOp("a"), flowCase: FlowCase(key: .target, value: "A"))
      .add(WriteOp("b"))
      .add(WriteOp("a"), flowCase: FlowCase(key: .target, value: "B"))
      .combine()
      .add(CopyOp("a"))
    #expect(flow.findings == [])
    // Without a match the flow ends early, so that nothing is missing.
    #expect(flow.add(CopyOp("b")).findings == ["error missingData at 3. CopyOp: b"])
  }

  @Test func `one branch that declares nothing does not excuse another`() {
    let flow = Flow().set(.target, to: "A")
      .cases(on: .target) {
        $0.when("A") { $0.add(SecretWriteOp("a")) }
        $0.otherwise { $0.add(WriteOp("b")) }
      }
      .add(CopyOp("a"))
    #expect(flow.findings == ["error missingData at 2. CopyOp: a"])
  }

  @Test func `a branch that goes with another one may read what that has written`() {
    let flow = Flow().set(.target, to: "A")
      .cases(on: .target) {
        $0.when("A") { $0.add(WriteOp("a")) }
        $0.otherwise { $0.add(WriteOp("b")) }
      }
      .cases(on: .target) {
        $0.when("A") { $0.add(CopyOp("a")) }
        $0.when("B") { $0.add(CopyOp("b")) }
      }
    #expect(flow.findings == [])
  }

  @Test func `a branch may read the key that it is taken by`() {
    final class ReadTargetOp: FlowOperation, @unchecked Sendable {
      @FlowInput(.target) var target
      @FlowOutput var seen: String?
    }
    let flow = Flow().set("a", to: "A").set("target", to: nil as String?)
      .cases(on: "a") {
        $0.when("A") { $0.add(WriteTextOp("target")) }
        $0.otherwise { $0.add(WriteOp("b")) }
      }
      .cases(on: .target) {
        $0.when("text") { $0.add(ReadTargetOp()) }
        $0.otherwise { $0.add(WriteOp("b")) }
      }
    #expect(flow.findings == [])
    #expect(flow.add(ReadTargetOp()).findings == ["error missingData at 3. ReadTargetOp: target"])
  }

  @Test func `a block that runs before the start may set anything`() {
    #expect(Flow().add(CopyOp("a")).setWillStartBlock { $0.setData(name: "a", value: 1) }.findings == [])
  }

  @Test func `data that is given to the run counts`() async {
    let flow = Flow().add(CopyOp("a"))
    #expect(flow.findings == ["error missingData at 1. CopyOp: a"])
    #expect(await flow.run().code == .missingData)
    #expect(await flow.run(with: ["a": 1]).report["copied"] == 1)
  }

  @Test func `each input of a step that is missing is a problem of its own`() {
    final class GreedyOp: FlowOperation, @unchecked Sendable {
      @FlowInput var first: Int
      @FlowInput var second: String
    }
    #expect(
      Flow().add(GreedyOp()).findings == [
        "error missingData at 1. GreedyOp: first", "error missingData at 1. GreedyOp: second",
      ])
  }
}
