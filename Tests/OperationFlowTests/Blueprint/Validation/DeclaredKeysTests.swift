import OperationFlow
import Testing

extension FlowKey where Value == Int {
  fileprivate static var a: Self { "a" }
  fileprivate static var b: Self { "b" }
  fileprivate static var secret: Self { FlowKey("secret", sensitive: true) }
}

/// A dispatcher that has its own numbers.
private struct NumbersDispatcher: FlowGroupDispatcher {
  let maxConcurrentOperationCount = 1
  let allowFailure = false
  func items(in bucket: DataBucket) -> FlowGroupItems { FlowGroupItems([1], name: "numbers") }
  func collect(_ results: FlowGroupResults) -> [String: any Sendable] { ["a": 1] }
}

/// The keys that steps declare with traits.
@Suite(.watched) struct DeclaredKeysTests {
  @Test func `a key that a closure reads must be there, and be of its type`() async {
    let flow = Flow("f").add("read", .reads(.a)) { _ in fail("ran") }
    check("nothing writes it", flow, "error missingData at 1. read: a")
    #expect(await flow.run().code == .missingData)
    check("at first", Flow().set(.a, to: 1).add("read", .reads(.a)) { _ in })
    check("a step writes it", Flow().add(WriteOp("a")).add("read", .reads(.a)) { _ in await Task.yield() })
    let mismatch = "error mismatchedData at"
    check("of another type", Flow().set("a", to: "x").add("read", .reads(.a)) { _ in }, "\(mismatch) 1. read: a")
    check(
      "written of another type",
      Flow().add("write", .writes("a" as FlowKey<String>)) { _ in }.add("read", .reads(.a)) { _ in },
      "\(mismatch) 2. read: a")
    let optional = Flow().add("read", .reads(optional: .a), .writesNothing) { #expect($0[.a] == nil) }
    check("it may do without", optional)
    #expect(await optional.run().isSuccess)
    #expect(Flow().set("a", to: "text").add("read", .reads(optional: .a)) { _ in }.faults == [])
  }

  @Test func `behind a closure that declares what it writes, the rest is known`() {
    let missing = "error missingData at 2. CopyOp: b"
    check("another key", Flow().add("write", .writes(.a)) { _ in }.add(CopyOp("b")), missing)
    check("nothing", Flow().add("nothing", .writesNothing) { _ in }.add(CopyOp("b")), missing)
    check("later", Flow().add("nothing", .writesNothing) { _ in await Task.yield() }.add(CopyOp("b")), missing)
    check("both", Flow().add("write", .writes(.a, .b)) { _ in }.add(CopyOp("b")))
    check("not declared", Flow().add("write", .weight(2), .named("x")) { _ in }.add(CopyOp("b")))
    check("only reads", Flow().set(.a, to: 1).add("read", .reads(.a)) { _ in }.add(CopyOp("b")), missing)
    check(
      "only reads what may be missing", Flow().add("read", .reads(optional: .a)) { _ in }.add(CopyOp("b")), missing)
    check("one of two", Flow().add("1", .writesNothing) { _ in }.add("2") { _ in }.add(CopyOp("b")))
    check(
      "over another type", Flow().set("a", to: "text").add("write", .writes(.a)) { _ in },
      "warning mismatchedData at 1. write: a")
  }

  @Test func `traits add to what an operation, an object or a flow declares`() {
    check(
      "an operation", Flow().add(SecretWriteOp("a"), .reads(.b), .writes(.a)).add(CopyOp("a")).add(CopyOp("c")),
      "error missingData at 1. SecretWriteOp: b", "error missingData at 3. CopyOp: c")
    check(
      "an object",
      Flow().set(.b, to: 1).add(operation: CopyOp("a"), .reads(.b), .writes(.a)).add(CopyOp("copied")),
      "error missingData at 1. CopyOp: a")
    check(
      "a flow, behind it and not in it",
      Flow().add(flow: Flow("inner").add(CopyOp("a")), .reads(.b), .writes(.a)).add(CopyOp("a")),
      "error missingData at 1. inner: b", "error missingData at 1. inner > 1. CopyOp: a")
  }

  // MARK: Groups

  @Test func `a group's closure declares what it reads and writes beside item and output`() async {
    let flow = Flow().set(.numbers, to: [1, 2])
      .forEach(.numbers, into: "out" as FlowKey<[Int]>, .reads(.a), .writes(.b)) { number, context in
        context.update(.b, default: 0) { $0 += number }
        return try number + context.require(.a)
      }
      .add(CopyOp("b")).add("last", .reads("out" as FlowKey<[Int]>)) { _ in }
    check("nothing writes what it reads", flow, "error missingData at 1. numbers: a")
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
      check("writes nothing", flow.add(CopyOp("b")), "error missingData at 2. CopyOp: b")
    }
    check("may write", Flow().forEach(in: [1]) { _, _ in }.add(CopyOp("b")))
    check(
      "only reads", Flow().forEach(in: [1], .reads(optional: .a)) { _, _ in }.add(CopyOp("b")),
      "error missingData at 2. CopyOp: b")
    check(
      "an operation that declares what it reads may still write",
      Flow().add(SecretWriteOp("b"), .reads(optional: .a)).add(CopyOp("b")))
    let open = Flow().addGrouped(operationCreator: DoubleOp.self, dispatcher: NumbersDispatcher())
    check("a dispatcher", open.add(CopyOp("b")))
    let declared = Flow()
      .addGrouped(operationCreator: DoubleOp.self, dispatcher: NumbersDispatcher(), .writes(.a))
    check("one that declares", declared.add(CopyOp("a")).add(CopyOp("b")), "error missingData at 3. CopyOp: b")
  }

  @Test func `a group without items has written nothing, so an earlier value is not held against it`() async {
    let key = "b" as FlowKey<String>
    let flow = Flow().set(key, to: "text").set(.numbers, to: []).forEach(.numbers, .writes(.b)) { _, _ in }
      .add("read", .reads(key)) { _ in }
    #expect(flow.faults == [])
    #expect(await flow.run().isSuccess)
    let alone = Flow().forEach(in: [1], .writes(.b)) { $1[.b] = $0 }.add("read", .reads(key)) { _ in }
    #expect(alone.faults == ["error mismatchedData at 2. read: b"])
  }

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
