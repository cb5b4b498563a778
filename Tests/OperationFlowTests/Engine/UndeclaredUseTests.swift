import OperationFlow
import Testing

extension FlowKey where Value == Int {
  fileprivate static var a: Self { "a" }
  fileprivate static var b: Self { "b" }
}
extension FlowKey where Value == [Int] {
  fileprivate static var numbers: Self { "numbers" }
  fileprivate static var out: Self { "out" }
}

@Suite(.watched) struct UndeclaredUseTests {
  private func warnings(_ report: FlowReport) -> [String] {
    report.events.compactMap { event in
      guard case .warned(let text) = event.kind else { return nil }
      return "\(event.source) \(text.prefix { $0 != "," })"
    }
  }

  @Test(arguments: [false, true]) func `reading a key that is not declared is a warning, and gives the value`(
    isAsync: Bool
  ) async {
    let flow = Flow().set(.a, to: 1).set(.b, to: 2)
    if isAsync {
      flow.add("read", .reads(.a)) { context in
        await Task.yield()
        let b = try context.require(.b)
        #expect(context[.a] == 1 && b == 2)
      }
    } else {
      flow.add("read", .reads(.a)) { context in #expect(context[.a] == 1 && context[.b] == 2) }
    }
    let outcome = await flow.run()
    #expect(outcome.isSuccess && warnings(outcome.report) == ["[read] <b> is read"])
  }

  @Test func `writing a key that is not declared is a warning, and writes the value`() async {
    let report = await Flow().set(.b, to: 1)
      .add("set", .writes(.a)) { context in
        context[.a] = 1
        context[.b] = 2
      }
      .add("call", .writesNothing) { $0.set(.b, to: 3) }
      .add("update", .writesNothing) { $0.update(.b, default: 0) { $0 += 1 } }
      .add("remove", .writesNothing) { $0.removeData(.a) }
      .run().report
    #expect(
      warnings(report) == [
        "[set] <b> is written", "[call] <b> is written", "[update] <b> is written", "[remove] <a> is written",
      ])
    #expect(report[.b] == 4 && report[.a] == nil)
  }

  @Test func `the warning says what to do`() async {
    let report = await Flow().add("x", .reads(), .writesNothing) { $0[.a] = $0[.b] }.run().report
    #expect(report.lines.contains { $0.contains("<b> is read, and the step's .reads(…) does not declare it") })
    #expect(report.lines.contains { $0.contains("<a> is written, and the step's .writes(…) does not declare it") })
  }

  @Test func `only the declared side is held to`() async {
    let report = await Flow().set(.a, to: 1)
      .add("reads", .reads(.a)) { $0[.b] = $0[.a] }
      .add("writes", .writes(.b)) { $0[.b] = $0[.a] }
      .add("neither", .weight(2)) { $0[.b] = $0[.a] }
      .run().report
    #expect(warnings(report) == [])
  }

  @Test func `what a closure writes it may read back`() async {
    let flow = Flow().add("count", .reads(), .writes(.a)) { context in
      context.update(.a, default: 0) { $0 += 1 }
      #expect(context[.a] == 1)
    }
    #expect(await warnings(flow.run().report) == [])
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

  @Test func `a group's own arrays need no declaration`() async {
    let flow = Flow().set(.numbers, to: [1, 2])
      .forEach(.numbers, into: .out, .reads(), .writesNothing) { number, context in
        number * (context[.numbers]?.count ?? 0)
      }
    let report = await flow.run().report
    #expect(report[.out] == [2, 4])
    #expect(warnings(report) == [])
  }

  @Test func `a flow that is a step twice warns for each`() async {
    let inner = Flow("inner").add("read", .reads()) { _ = $0[.a] }
    let report = await Flow().add(flow: inner).add(flow: inner).run().report
    #expect(warnings(report) == ["[read] <a> is read", "[read] <a> is read"])
  }
}
