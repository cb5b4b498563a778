import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

extension FlowKey where Value == [String] {
  fileprivate static var upper: Self { "upper" }
}

/// The kind of a group's input.
private enum InputKind: CaseIterable {
  case array, sequence, asyncSequence

  func group(
    _ numbers: [Int], width: Int = 3, run: @escaping @Sendable (Int, FlowContext) async throws -> Int
  ) -> Flow {
    switch self {
    case .array: Flow().set(.numbers, to: numbers).forEach(.numbers, into: .out, width: width, run: run)
    case .sequence: Flow().forEach(in: numbers.lazy.map { $0 }, into: .out, width: width, run: run)
    case .asyncSequence: Flow().forEach(in: InputKind.stream(numbers), into: .out, width: width, run: run)
    }
  }

  static func stream(_ numbers: [Int]) -> AsyncStream<Int> {
    AsyncStream { continuation in
      for number in numbers { continuation.yield(number) }
      continuation.finish()
    }
  }
}

@Suite(.watched) struct ForEachTests {
  // MARK: Whatever it runs over

  @Test(arguments: InputKind.allCases) private func `the outputs are in the order of the input, whatever ends first`(
    kind: InputKind
  ) async {
    let isLastDone = Signal()
    let flow = kind.group([1, 2, 3]) { number, _ in
      if number == 3 { isLastDone.fire() } else { await isLastDone.wait() }
      return number * 10
    }
    .forEach(.out, into: .upper) { (number: Int, _) in "\(number)" }
    #expect(await flow.run().report[.upper] == ["10", "20", "30"])
  }

  @Test(arguments: InputKind.allCases, [1, 2, 5])
  private func `never more at once than the width, and as many if there are`(kind: InputKind, width: Int) async {
    let (meeting, trail) = (Meeting(size: width), Journal<Int>())
    let flow = kind.group(Array(0..<(width * 6)), width: width) { number, _ in
      trail.append(number)
      return await meeting.attend()
    }
    #expect(await flow.run().isSuccess)
    #expect(meeting.peak == width)
    // With a width of 1, items run in order.
    if width == 1 { #expect(trail.entries == Array(0..<6)) }
  }

  @Test(arguments: InputKind.allCases) private func `no items leave an empty array`(kind: InputKind) async {
    let report = await kind.group([]) { number, _ in number }.run().report
    #expect(report[.out] == [])
    #expect(
      report.lines.contains("[Group] no operation to run for group: <numbers> is empty") == (kind == .array))
  }

  // MARK: Closures

  @Test func `a group says what it does, under its array's name or its own number`() async {
    let array = await Flow().set(.names, to: ["a", "b"])
      .forEach(.names, into: .out, width: 1) { name, _ in name.count }.run()
    #expect(
      array.report.lines.dropFirst().dropLast() == [
        "[names] group created: 2", "[names #1] WillStart", "[names #1] DidFinish: successfully",
        "[names #2] WillStart", "[names #2] DidFinish: successfully", "[DataBucket] add for out: [1, 1]",
        "[names] all finished. output size: 2",
      ])
    let flow = Flow().forEach(in: 0..<1) { _, _ in }.forEach(in: 0..<1, .named("named")) { _, _ in }
      .forEach(in: 0..<1) { _, _ in await Task.yield() }
      .forEach(in: InputKind.stream([])) { _, _ in }
    #expect(
      flow.blueprint.steps.map(\.description) == ["1. forEach", "2. named", "3. forEach (2)", "4. forEach (3)"])
    let started = "group started: its items are taken as there is room"
    #expect(
      await flow.run().report.lines.dropFirst().dropLast() == [
        "[forEach] group created: 1", "[forEach #1] WillStart", "[forEach #1] DidFinish: successfully",
        "[named] group created: 1", "[named #1] WillStart", "[named #1] DidFinish: successfully",
        "[forEach (2)] group created: 1", "[forEach (2) #1] WillStart", "[forEach (2) #1] DidFinish: successfully",
        "[forEach (3)] \(started)",
      ])
  }

  @Test func `a width beyond the number of items is fine, and so is one in synchronous threads`() async {
    let counter = Counter()
    let outcome = await Flow().set(.names, to: ["a", "b"])
      .forEach(.names, into: .upper, width: 100) { name, _ in
        counter.enter()
        defer { counter.leave() }
        return name.uppercased()
      }
      .run()
    #expect(outcome.report[.upper] == ["A", "B"])
    #expect(counter.peak <= 2)
  }

  @Test func `what items write through their context goes to the flow's bucket`() async {
    let outcome = await Flow()
      .forEach(in: ["a", "b"], width: 2) { name, context in
        context[FlowKey(name)] = 1
        context.log("wrote")
      }
      .run()
    #expect(outcome.report.data.keys.sorted() == ["a", "b"])
    let lines = outcome.report.lines.filter { $0.hasSuffix("wrote") }
    #expect(lines.sorted() == ["[forEach #1] wrote", "[forEach #2] wrote"])
  }

  @Test func `without a key nothing is collected, and an output that is nil keeps its place`() async {
    let outcome = await Flow().set(.names, to: ["a"]).forEach(.names) { name, _ in name }
      .forEach(in: 0..<4, into: "even" as FlowKey<[Int?]>) { item, _ in item.isMultiple(of: 2) ? item : nil }
      .run()
    #expect(outcome.report.data.keys.sorted() == ["even", "names"])
    #expect(outcome.report["even" as FlowKey<[Int?]>] == [0, nil, 2, nil])
  }

  @Test func `an array that was never written, or holds another type, fails as every read does`() async {
    let hide = { @Sendable (context: FlowContext) in context[FlowKey<[String]>.names] = nil }
    let missing = await Flow().add("hide", run: hide).forEach(.names) { _, _ in fail("ran") }.run()
    #expect(missing.code == .missingData && (missing.error as? FlowError)?.step == "[names]")
    let mistyped = await Flow().add("write") { $0["names"] = 1 }.forEach(.names) { _, _ in fail("ran") }.run()
    #expect(mistyped.code == .mismatchedData)
  }

  @Test func `groups in each other's closures run as flows of their own`() async {
    let outcome = await Flow()
      .forEach(in: 0..<4, into: .out, width: 2) { outer, _ in
        let inner = await Flow().forEach(in: 0..<outer, into: .out) { item, _ in item }.run()
        return inner.report[.out]?.count ?? -1
      }
      .run()
    #expect(outcome.report[.out] == [0, 1, 2, 3])
  }

  @Test(arguments: [1, 2, 5], [false, true])
  func `items are taken in their order: all before one have ended but for the width`(width: Int, isObserved: Bool) async
  {
    for _ in 0..<50 {
      let flow = Flow().set(.numbers, to: Array(0..<30))
        .forEach(.numbers, into: .out, width: width, run: DoubleOp.self)
      if isObserved { flow.observe { _ in } }
      var (started, ended) = ([Int](), Set<Int>())
      for event in await flow.run().report.events {
        guard let item = event.source.item else { continue }
        if event.kind == .started {
          started.append(item)
          #expect((0..<item).count { !ended.contains($0) } < width)
        }
        if case .finished = event.kind { ended.insert(item) }
      }
      #expect(width == 1 ? started == Array(0..<30) : started.sorted() == Array(0..<30))
    }
  }
}
