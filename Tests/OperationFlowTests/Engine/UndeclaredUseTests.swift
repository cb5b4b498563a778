import OperationFlow
import Testing

extension FlowKey where Value == Int {
  fileprivate static var a: Self { "a" }
  fileprivate static var b: Self { "b" }
}

@Suite(.watched) struct UndeclaredUseTests {
  /// Returns the warnings, each up to its comma.
  ///
  /// The text after it is the remedy.
  private func warnings(_ report: FlowReport) -> [String] { report.warnings.map { String($0.prefix { $0 != "," }) } }

  /// Checks a row of a table: a flow that succeeds, and the beginnings of all warnings of its run.
  @discardableResult
  private func check(
    _ promise: Comment, _ flow: Flow, _ expected: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) async -> FlowReport {
    let outcome = await flow.run()
    #expect(outcome.isSuccess && warnings(outcome.report) == expected, promise, sourceLocation: sourceLocation)
    return outcome.report
  }

  @Test func `using a key that is not declared is a warning that says what to do, and works`() async {
    let data = { Flow().set(.a, to: 1).set(.b, to: 2) }
    await check(
      "it is read", data().add("read", .reads(.a)) { context in #expect(context[.a] == 1 && context[.b] == 2) },
      "[read] <b> is read")
    let later = data().add("read", .reads(.a)) { context in
      await Task.yield()
      let b = try context.require(.b)
      #expect(context[.a] == 1 && b == 2)
    }
    await check("it is read later", later, "[read] <b> is read")
    let writing = Flow().set(.b, to: 1)
      .add("set", .writes(.a)) { context in
        context[.a] = 1
        context[.b] = 2
      }
      .add("call", .writesNothing) { $0[.b] = 3 }
      .add("update", .writesNothing) { $0.update(.b, default: 0) { $0 += 1 } }
      .add("remove", .writesNothing) { $0[.a] = nil }
    let report = await check(
      "it is written", writing, "[set] <b> is written", "[call] <b> is written", "[update] <b> is written",
      "[remove] <a> is written")
    #expect(report[.b] == 4 && report[.a] == nil)
    let inner = Flow("inner").add("read", .reads()) { _ = $0[.a] }
    await check(
      "by a flow that is a step twice", Flow().add(flow: inner).add(flow: inner), "[read] <a> is read",
      "[read] <a> is read")
    let both = Flow().set(.b, to: 1).add("x", .reads(), .writesNothing) { $0[.a] = $0[.b] }
    let lines = await check("both", both, "[x] <b> is read", "[x] <a> is written").lines
    #expect(lines.contains { $0.contains("<b> is read, and the step's .reads(…) does not declare it") })
    #expect(lines.contains { $0.contains("<a> is written, and the step's .writes(…) does not declare it") })
  }

  @Test func `only the declared side is held to, and what is a step's own needs no declaration`() async {
    let sides = Flow().set(.a, to: 1)
      .add("reads", .reads(.a)) { $0[.b] = $0[.a] }
      .add("writes", .writes(.b)) { $0[.b] = $0[.a] }
      .add("neither", .weight(2)) { $0[.b] = $0[.a] }
    // A closure that declares what it reads, and not what it writes, writes nothing.
    await check("one side, or none", sides, "[reads] <b> is written")
    let count = Flow().add("count", .reads(), .writes(.a)) { context in
      context.update(.a, default: 0) { $0 += 1 }
      #expect(context[.a] == 1)
    }
    await check("what a closure has written", count)
    let group = Flow().set(.numbers, to: [1, 2])
      .forEach(.numbers, into: .out, .reads(), .writesNothing) { number, context in
        number * (context[.numbers]?.count ?? 0)
      }
    #expect(await check("a group's own arrays", group)[.out] == [2, 4])
  }

  @Test func `there is one warning for each step, key and run, however many items use the key`() async {
    let flow = Flow().set(.numbers, to: Array(0..<1_000)).set(.a, to: 1)
      .forEach(.numbers, into: .out, width: 4, .reads(), .writesNothing) { number, context in
        context[.b] = number
        return try number + context.require(.a)
      }
      .forEach(in: 0..<10, .reads()) { _, context in
        await Task.yield()
        _ = context[.a]
      }
    for _ in 0..<2 {
      let found = await warnings(flow.run().report).map { $0.replacing(#/ \#\d+/#, with: "") }
      #expect(found.sorted() == ["[forEach] <a> is read", "[numbers] <a> is read", "[numbers] <b> is written"])
    }
  }
}
