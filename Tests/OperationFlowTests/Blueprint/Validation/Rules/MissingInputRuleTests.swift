import OperationFlow
import OperationFlowDurable
import TestSupport
import Testing

extension FlowKey where Value == String {
  fileprivate static var target: Self { "target" }
}

private final class ReadOp: FlowOperation, @unchecked Sendable {
  @FlowInput var a: Int
}
private final class ModestOp: FlowOperation, @unchecked Sendable {
  @FlowInput var first: Int?
  @FlowInput var second: Int = 1
  @FlowOutput var result: Int?
}
private final class GreedyOp: FlowOperation, @unchecked Sendable {
  @FlowInput var first: Int
  @FlowInput var second: String
}
private final class ReadTargetOp: FlowOperation, @unchecked Sendable {
  @FlowInput(.target) var target
  @FlowOutput var seen: String?
}

/// Values that may be missing when a step reads them, or when a stored run resumes.
@Suite(.watched) struct MissingInputRuleTests {
  /// Returns a flow that runs one of two operations.
  private func branches(_ a: FlowOperation, _ b: FlowOperation) -> Flow {
    Flow().set(.target, to: "A").cases(on: .target) { cases in
      cases.when("A") { $0.add(operation: a) }
      cases.otherwise { $0.add(operation: b) }
    }
  }

  @Test func `a finding has its path, key and remedy`() throws {
    let problems = Flow().add(WriteOp("a")).add(CopyOp("b")).validate()
    let problem = try #require(problems.first)
    #expect(problems.count == 1 && problem.severity == .error && problem.code == .missingData)
    #expect(problem.path == "2. CopyOp" && problem.key == "b")
    #expect(problem.problem == "can't find <b> in data bucket: no step before writes it.")
    #expect(problem.remedy.contains("Set <b>"))
    #expect("\(problem)".hasPrefix("error: 2. CopyOp: can't find <b>"))
  }

  @Test func `an input must be written before, or be there at first`() async {
    let missing = "error missingData at 1. CopyOp: a"
    check("a step before writes it", Flow().add(WriteOp("a")).add(CopyOp("a")))
    check("it is there at first", Flow().set("a", to: 1).add(CopyOp("a")))
    check("it is in the bucket", Flow().setDataBucket(dataBucket: ["a": 1]).add(operation: CopyOp("a")))
    check("only a later step writes it", Flow().add(CopyOp("a")).add(WriteOp("a")), missing)
    check("a nil is nothing", Flow().setDataBucket(dataBucket: ["a": Int?.none]).add(CopyOp("a")), missing)
    check("optional, or with a default", Flow().add(ModestOp()))
    check(
      "each input is a problem of its own", Flow().add(GreedyOp()),
      "error missingData at 1. GreedyOp: first", "error missingData at 1. GreedyOp: second")
    check("a block before the start", Flow().add(CopyOp("a")).setWillStartBlock { $0.setData(name: "a", value: 1) })
    let flow = Flow().add(CopyOp("a"))
    #expect(await flow.run().code == .missingData)
    #expect(await flow.run(with: ["a": 1]).report["copied"] == 1)
  }

  @Test func `a step that writes the value too late is named`() throws {
    let inner = Flow("inner").add(CopyOp("a"))
    for flow in [Flow().add(CopyOp("a")).add(WriteOp("a")), Flow().add(flow: inner).add(WriteOp("a"))] {
      let problem = try #require(flow.validate().first)
      #expect(problem.problem == "can't find <a> in data bucket: no step before writes it, but 2. WriteOp does later.")
      #expect(problem.remedy.hasPrefix("Move that step before this one"))
    }
    // A writer that precedes the reader and never runs, and one in another branch, are not later steps.
    let never = Flow().add("write", .writes("a" as FlowKey<Int>), .when(.target, is: "A")) { _ in }.add(CopyOp("a"))
    let beside = Flow().parallel {
      $0.branch("reads") { $0.add(CopyOp("a")) }
      $0.branch("writes") { $0.add(WriteOp("a")) }
    }
    for flow in [never, beside] {
      #expect(flow.validate().contains { $0.problem == "can't find <a> in data bucket: no step before writes it." })
    }
  }

  @Test func `a step that recovers goes on without its inputs, which is a warning`() async {
    let flows = [
      Flow().add(CopyOp("a"), .recover { _, _ in }),
      Flow().add("read", .reads("a" as FlowKey<Int>), .writesNothing, .recover { _, _ in }) {
        _ = try $0.require("a" as FlowKey<Int>)
      },
      Flow().forEach(in: [1], .reads("a" as FlowKey<Int>), .writesNothing, .recover { _, _ in }) { (_: Int, context) in
        _ = try context.require("a" as FlowKey<Int>)
      },
    ]
    for (flow, name) in zip(flows, ["CopyOp", "read", "forEach"]) {
      #expect(flow.findings == ["warning missingData at 1. \(name): a"])
      #expect(flow.validate().first?.problem == "can't find <a> in data bucket: no step before writes it.")
      let outcome = await flow.run()
      #expect(outcome.isSuccess && outcome.report.recoveries.count == 1)
      let mistyped = flow.set("a", to: "text")
      #expect(mistyped.findings == ["warning mismatchedData at 1. \(name): a"])
      #expect(mistyped.validate().first?.problem.hasSuffix("holds a <String> at first: it recovers from that.") == true)
      #expect(await mistyped.run().isSuccess)
    }
    // The keys that the recovery writes count as outputs of the step.
    let supplied = Flow().add("write", .writes("a" as FlowKey<Int>), .recover { $1["a"] = 1 }) { _ in throw TestError()
    }
    check("its outputs", supplied.add(CopyOp("a")))
    #expect(await supplied.run().isSuccess)
    // An earlier value stays if the step recovers before it writes.
    let copied = FlowKey<String>("copied")
    let earlier = Flow().set(copied, to: "text").add(CopyOp("a"), .recover { _, _ in })
      .add("read", .reads(copied), .writesNothing) { _ = try $0.require(copied) }
    #expect(earlier.faults == [])
    #expect(await earlier.run().isSuccess)
    // Items recover, and their group does not.
    let group = Flow().forEach("items" as FlowKey<[Int]>, .writesNothing, .recover { _, _ in }) { _, _ in }
    check("the array of a group", group, "error missingData at 1. items: items")
    #expect(await group.run().code == .missingData)
  }

  @Test func `behind a step that doesn't declare what it writes, anything may be there`() {
    check("an operation", Flow().add(SecretWriteOp("a")).add(CopyOp("a")))
    check("a closure", Flow().add("write") { $0["a"] = 1 }.add(CopyOp("a")))
    check("an object", Flow().add(operation: SecretWriteOp("a")).add(CopyOp("a")))
    check("a group", Flow().forEach(in: [1]) { $1["a"] = $0 }.add(CopyOp("a")))
    check("one that declares what it reads", Flow().set("a", to: 1).add(ReadOp()).add(CopyOp("b")))
    check("but it reads", Flow().add(ReadOp()).add(CopyOp("b")), "error missingData at 1. ReadOp: a")
  }

  @Test func `behind branches, what all of them write is certain`() {
    let missing = "warning missingData at 2. CopyOp: a"
    let one = branches(WriteOp("a"), WriteOp("b")).add(CopyOp("a"))
    check("only one of them writes it", one, missing)
    #expect(one.validate().first?.problem.contains("there is a path on which no step writes it") == true)
    check("another declares nothing", branches(SecretWriteOp("a"), WriteOp("b")).add(CopyOp("a")))
    let all = Flow().set(.target, to: "A")
      .add(operation: WriteOp("a"), flowCase: FlowCase(key: .target, value: "A")).add(WriteOp("b"))
      .add(operation: WriteOp("a"), flowCase: FlowCase(key: .target, value: "B")).combine()
      .add(CopyOp("a"))
    check("both write it, and without a match the flow ends early", all)
    check("one of two values", all.add(CopyOp("b")), "warning missingData at 3. CopyOp: b")
    let together = branches(WriteOp("a"), WriteOp("b")).cases(on: .target) {
      $0.when("A") { $0.add(CopyOp("a")) }
      $0.when("B") { $0.add(CopyOp("b")) }
    }
    check("branches that go together", together)
    let chosen = Flow().set("a", to: "A").set("target", to: nil as String?)
      .cases(on: "a") {
        $0.when("A") { $0.add(WriteTextOp("target")) }
        $0.otherwise { $0.add(WriteOp("b")) }
      }
      .cases(on: .target) {
        $0.when("text") { $0.add(ReadTargetOp()) }
        $0.otherwise { $0.add(WriteOp("b")) }
      }
    check("a branch reads the key that it is taken by", chosen)
    check("and so not all", chosen.add(ReadTargetOp()), "warning missingData at 3. ReadTargetOp: target")
  }
}
