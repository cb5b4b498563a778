import Testing

@testable import OperationFlow

extension FlowKey where Value == Int {
  fileprivate static var a: Self { "a" }
  fileprivate static var b: Self { "b" }
  fileprivate static var secret: Self { FlowKey("secret", sensitive: true) }
}
extension FlowKey where Value == [Int] {
  fileprivate static var numbers: Self { "numbers" }
}

@Suite(.watched) struct DeclaredKeysTests {
  // MARK: Reads

  @Test func `a key that a closure reads must be there on every path`() async {
    let flow = Flow("f").add("read", .reads(.a)) { _ in fail("ran") }
    #expect(flow.findings == ["error missingData at 1. read: a"])
    #expect(await flow.run().code == .missingData)
    #expect(Flow().set(.a, to: 1).add("read", .reads(.a)) { _ in }.findings == [])
    #expect(Flow().add(WriteOp("a")).add("read", .reads(.a)) { _ in await Task.yield() }.findings == [])
    let branches = Flow().set("target", to: "A")
      .cases(on: "target") {
        $0.when("A") { $0.add(WriteOp("a")) }
        $0.otherwise { $0.add(WriteOp("b")) }
      }
      .add("read", .reads(.a)) { _ in }
    #expect(branches.findings == ["error missingData at 2. read: a"])
  }

  @Test func `a key that a closure may do without is not missed`() async {
    let flow = Flow().add("read", .reads(optional: .a), .writesNothing) { #expect($0[.a] == nil) }
    #expect(flow.findings == [])
    #expect(await flow.run().isSuccess)
    #expect(Flow().set("a", to: "text").add("read", .reads(optional: .a)) { _ in }.faults == [])
  }

  @Test func `a type that can't be what a closure reads is an error`() {
    let atFirst = Flow().set("a", to: "text").add("read", .reads(.a)) { _ in }
    #expect(atFirst.findings == ["error mismatchedData at 1. read: a"])
    let written = Flow().add("write", .writes("a" as FlowKey<String>)) { _ in }.add("read", .reads(.a)) { _ in }
    #expect(written.findings == ["error mismatchedData at 2. read: a"])
  }

  @Test func `a closure that only declares what it reads may write anything`() {
    #expect(Flow().set(.a, to: 1).add("read", .reads(.a)) { _ in }.add(CopyOp("b")).findings == [])
  }

  // MARK: Writes

  @Test func `behind a closure that declares what it writes, the rest is known`() {
    let missing = ["error missingData at 2. CopyOp: b"]
    #expect(Flow().add("write", .writes(.a)) { _ in }.add(CopyOp("b")).findings == missing)
    #expect(Flow().add("nothing", .writesNothing) { _ in }.add(CopyOp("b")).findings == missing)
    #expect(Flow().add("nothing", .writesNothing) { _ in await Task.yield() }.add(CopyOp("b")).findings == missing)
    #expect(Flow().add("write", .writes(.a, .b)) { _ in }.add(CopyOp("b")).findings == [])
  }

  @Test func `behind a closure that declares nothing, nothing is known`() {
    #expect(Flow().add("write") { _ in }.add(CopyOp("b")).findings == [])
    #expect(Flow().add("write", .weight(2), .named("x")) { _ in }.add(CopyOp("b")).findings == [])
    #expect(Flow().add("first", .writesNothing) { _ in }.add("any") { _ in }.add(CopyOp("b")).findings == [])
  }

  @Test func `a write of another type over an earlier one is a warning`() {
    let flow = Flow().set("a", to: "text").add("write", .writes(.a)) { _ in }
    #expect(flow.findings == ["warning mismatchedData at 1. write: a"])
  }

  // MARK: Operations and flows

  @Test func `traits add to what an operation declares`() {
    let flow = Flow().add(SecretWriteOp("a"), .reads(.b), .writes(.a)).add(CopyOp("a")).add(CopyOp("c"))
    #expect(flow.findings == ["error missingData at 1. SecretWriteOp: b", "error missingData at 3. CopyOp: c"])
    let object = Flow().set(.b, to: 1).add(operation: CopyOp("a"), .reads(.b), .writes(.a))
    #expect(object.add(CopyOp("copied")).findings == ["error missingData at 1. CopyOp: a"])
  }

  @Test func `what a flow that is a step writes is there behind it, and not in it`() {
    let inner = Flow("inner").add(CopyOp("a"))
    let flow = Flow().add(flow: inner, .reads(.b), .writes(.a)).add(CopyOp("a"))
    #expect(
      flow.findings == ["error missingData at 1. inner: b", "error missingData at 1. inner > 1. CopyOp: a"])
  }

  // MARK: Groups

  @Test func `a group's closure declares what it reads and writes beside item and output`() async {
    let flow = Flow().set(.numbers, to: [1, 2])
      .forEach(.numbers, into: "out" as FlowKey<[Int]>, .reads(.a), .writes(.b)) { number, context in
        context.update(.b, default: 0) { $0 += number }
        return try number + context.require(.a)
      }
      .add(CopyOp("b")).add("last", .reads("out" as FlowKey<[Int]>)) { _ in }
    #expect(flow.findings == ["error missingData at 1. numbers: a"])
    let outcome = await flow.run(with: ["a": 10])
    #expect(outcome.report["out" as FlowKey<[Int]>] == [11, 12] && outcome.report["copied" as FlowKey<Int>] == 3)
  }

  @Test func `a group that writes nothing else is seen through`() {
    for flow in [
      Flow().forEach(in: [1], .writesNothing) { _, _ in },
      Flow().forEach(in: [1], .writesNothing) { _, _ in await Task.yield() },
      Flow().forEach(in: AsyncStream<Int> { nil }, .writesNothing) { _, _ in },
      Flow().set(.numbers, to: []).forEach(.numbers, .writesNothing) { _, _ in },
    ] {
      #expect(flow.add(CopyOp("b")).findings == ["error missingData at 2. CopyOp: b"])
    }
    #expect(Flow().forEach(in: [1]) { _, _ in }.add(CopyOp("b")).findings == [])
    #expect(Flow().forEach(in: [1], .reads(optional: .a)) { _, _ in }.add(CopyOp("b")).findings == [])
  }

  @Test
  func `a group without items has not written what its closure declares, so an earlier value is not held against it`()
    async
  {
    let key = "b" as FlowKey<String>
    let flow = Flow().set(key, to: "text").set(.numbers, to: []).forEach(.numbers, .writes(.b)) { _, _ in }
      .add("read", .reads(key)) { _ in }
    #expect(flow.faults == [])
    #expect(await flow.run().isSuccess)
    let alone = Flow().forEach(in: [1], .writes(.b)) { $1[.b] = $0 }.add("read", .reads(key)) { _ in }
    #expect(alone.faults == ["error mismatchedData at 2. read: b"])
  }

  @Test func `a group with a dispatcher of its own is seen through if it declares what it writes`() {
    struct Numbers: FlowGroupDispatcher {
      let maxConcurrentOperationCount = 1
      let allowFailure = false
      func items(in bucket: DataBucket) -> FlowGroupItems { FlowGroupItems([1], name: "numbers") }
      func collect(_ results: FlowGroupResults) -> [String: any Sendable] { ["a": 1] }
    }
    let open = Flow().addGrouped(operationCreator: StepTraitTests.SquareOp.self, dispatcher: Numbers())
    #expect(open.add(CopyOp("b")).findings == [])
    let declared = Flow().addGrouped(
      operationCreator: StepTraitTests.SquareOp.self, dispatcher: Numbers(), .writes(.a))
    #expect(declared.add(CopyOp("a")).add(CopyOp("b")).findings == ["error missingData at 3. CopyOp: b"])
  }

  // MARK: Sensitive keys

  @Test func `a sensitive key that is declared is redacted from the start`() async {
    for flow in [
      Flow().add("read", .reads(.secret)) { _ in },
      Flow().add("read", .reads(optional: .secret)) { _ in },
      Flow().add("write", .writes(.secret)) { _ in },
      Flow().forEach(in: [1], .writes(.secret)) { _, _ in },
    ] {
      let report = await flow.run(with: ["secret": 12345]).report
      #expect(report.summary.contains("secret: <redacted>") && !report.summary.contains("12345"))
    }
  }
}
