import TestSupport
import Testing

@testable import OperationFlow

extension FlowKey where Value == [String] {
  fileprivate static var names: Self { "names" }
  fileprivate static var upper: Self { "upper" }
}
extension FlowKey where Value == [Int] {
  fileprivate static var lengths: Self { "lengths" }
}

@Suite(.watched) struct ForEachTests {
  @Test func `the outputs are in the order of the input, whatever ends first`() async {
    let isLastDone = Signal()
    let outcome = await Flow().set(.names, to: ["first", "second", "third"])
      .forEach(.names, into: .upper, width: 3) { name, _ in
        if name == "third" { isLastDone.fire() } else { await isLastDone.wait() }
        return name.uppercased()
      }
      .forEach(.upper, into: .lengths) { (name: String, _) in name.count }
      .run()
    #expect(outcome.report[.upper] == ["FIRST", "SECOND", "THIRD"])
    #expect(outcome.report[.lengths] == [5, 6, 5])
  }

  @Test func `it says so under the array's name`() async {
    let outcome = await Flow().set(.names, to: ["a", "b"])
      .forEach(.names, into: .lengths, width: 1) { name, _ in name.count }.run()
    #expect(
      outcome.report.lines.dropFirst().dropLast() == [
        "[names] group created: 2", "[names #0] WillStart", "[names #0] DidFinish: successfully",
        "[names #1] WillStart", "[names #1] DidFinish: successfully", "[DataBucket] add for lengths: [1, 1]",
        "[names] all finished. output size: 2",
      ])
  }

  @Test func `width 1 runs one after the other, in order`() async {
    let (trail, counter) = (Journal<Int>(), Counter())
    let outcome = await Flow()
      .forEach(in: 0..<50, width: 1) { index, _ in
        counter.enter()
        trail.append(index)
        if index.isMultiple(of: 7) { await Task.yield() }
        counter.leave()
      }
      .run()
    #expect(outcome.isSuccess)
    #expect(trail.entries == Array(0..<50))
    #expect(counter.peak == 1)
  }

  @Test(arguments: [1, 2, 5]) func `never more at once than the width, and as many if there are`(width: Int) async {
    let meeting = Meeting(size: width)
    let outcome = await Flow()
      .forEach(in: 0..<(width * 6), width: width) { _, _ in await meeting.attend() }
      .run()
    #expect(outcome.isSuccess)
    #expect(meeting.peak == width)
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

  @Test func `an empty array, and an empty sequence, leave an empty array`() async {
    let outcome = await Flow().set(.names, to: [])
      .forEach(.names, into: .upper) { name, _ in name }
      .forEach(in: [Int](), into: .lengths) { item, _ in item }
      .run()
    #expect(outcome.isSuccess)
    #expect(outcome.report[.upper] == [])
    #expect(outcome.report[.lengths] == [])
    #expect(outcome.report.lines.contains("[Group] no operation to run for group: <names> is empty"))
  }

  @Test func `what items write through their context goes to the flow's bucket`() async {
    let outcome = await Flow()
      .forEach(in: ["a", "b"], width: 2) { name, context in
        context.set(FlowKey(name), to: 1)
        context.log("wrote")
      }
      .run()
    #expect(outcome.report.data.keys.sorted() == ["a", "b"])
    let lines = outcome.report.lines.filter { $0.hasSuffix("wrote") }
    #expect(lines.sorted() == ["[forEach #0] wrote", "[forEach #1] wrote"])
  }

  @Test func `without a key nothing is collected`() async {
    let outcome = await Flow().set(.names, to: ["a"]).forEach(.names) { name, _ in name }.run()
    #expect(outcome.report.data.keys.sorted() == ["names"])
  }

  @Test func `an output that is nil keeps its place`() async {
    let outcome = await Flow()
      .forEach(in: 0..<4, into: "even" as FlowKey<[Int?]>) { item, _ in item.isMultiple(of: 2) ? item : nil }
      .run()
    #expect(outcome.isSuccess)
    #expect(outcome.report["even" as FlowKey<[Int?]>] == [0, nil, 2, nil])
  }

  @Test func `an array that was never written, or holds another type, fails as every read does`() async {
    let hide = { @Sendable (context: FlowContext) in context.removeData(FlowKey<[String]>.names) }
    let missing = await Flow().add("hide", hide).forEach(.names) { _, _ in fail("ran") }.run()
    #expect(missing.code == .missingData)
    #expect((missing.error as? FlowError)?.step == "[names]")
    let mistyped = await Flow().add("write") { $0["names"] = 1 }.forEach(.names) { _, _ in fail("ran") }.run()
    #expect(mistyped.code == .mismatchedData)
  }

  @Test func `it can be the first step of a branch`() async {
    let flow = Flow().set("target", to: "A").set(.names, to: ["a"])
      .forEach(.names, into: .upper, flowCase: FlowCase(key: "target", value: "A")) { name, _ in name.uppercased() }
      .forEach(in: [1], flowCase: .otherwise) { _, _ in fail("ran") }
      .combine()
    #expect(await flow.run().report[.upper] == ["A"])
  }

  @Test func `groups in each other's closures run as flows of their own`() async {
    let outcome = await Flow()
      .forEach(in: 0..<4, into: .lengths, width: 2) { outer, _ in
        let inner = await Flow().forEach(in: 0..<outer, into: .lengths) { item, _ in item }.run()
        return inner.report[.lengths]?.count ?? -1
      }
      .run()
    #expect(outcome.report[.lengths] == [0, 1, 2, 3])
  }
}
