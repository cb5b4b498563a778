import TestSupport
import Testing

@testable import OperationFlow

/// The work for a text is bounded by the length that is recorded.
@Suite(.watched) struct ValueTextCostTests {
  /// A value that counts the calls of its description.
  struct Counted: CustomStringConvertible, Hashable, Sendable {
    let id: Int
    let asked: Tally
    var description: String {
      asked.add()
      return "\(id)"
    }
    static func == (left: Self, right: Self) -> Bool { left.id == right.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }

  @Test func `of a huge collection no more is described than is shown, however it is wrapped`() {
    let asked = Tally()
    let values = (0..<50_000).map { Counted(id: $0, asked: asked) }
    struct Holder { let values: [Counted] }
    let wrapped: [Any] = [
      values, values[...], ContiguousArray(values), Set(values),
      Dictionary(uniqueKeysWithValues: values.map { ($0, 1) }),
      [1: values], [values, values], Optional(values) as Any, Holder(values: values), (1, values),
      Result<[Counted], TestError>.success(values), ["a": Holder(values: values)],
    ]
    for value in wrapped {
      let before = asked.count
      let text = ValueText.describe(value)
      #expect(text.count <= 1_050 && text.contains("…"), "\(type(of: value))")
      #expect(asked.count - before <= 1_000, "\(type(of: value))")
    }
  }

  @Test func `nothing is described if nothing is recorded and nobody observes`() async {
    let asked = Tally()
    let key = FlowKey<Counted>("value")
    let outcome = await Flow().recording(.none)
      .add("writes") { context in
        for id in 0..<100 {
          context[key] = Counted(id: id, asked: asked)
          context.update(key, default: Counted(id: 0, asked: asked)) { $0 = Counted(id: -id, asked: asked) }
        }
        context[key] = nil
      }
      .step { operation in
        operation.setData(name: key, value: Counted(id: 1, asked: asked))
        operation.removeData(name: key)
        operation.finishSuccessfully()
      }.run()
    #expect(outcome.isSuccess && asked.count == 0)
  }

  @Test func `an observer is told of each write's text though nothing is recorded`() async {
    let seen = Journal<FlowEvent.Kind>()
    let key = "n" as FlowKey<Int>
    _ = await Flow().recording(.none).observe { seen.append($0.kind) }
      .add("writes") { context in
        context[key] = 1
        context.update(key, default: 0) { $0 += 1 }
        context[key] = nil
      }.run()
    let writes: [FlowEvent.Kind] = [
      .added(name: "n", text: "1"), .replaced(name: "n", old: "1", new: "2"), .removed(name: "n", old: "2"),
    ]
    #expect(seen.entries.filter(writes.contains) == writes)
  }

  @Test func `a value may use the bucket and the flow while it is described, in an update too`() async {
    struct Curious: CustomStringConvertible, Sendable {
      let bucket: Journal<DataBucket>
      var description: String { "beside \(bucket.entries[0]["other" as FlowKey<Int>] ?? -1)" }
    }
    let buckets = Journal<DataBucket>()
    let key = FlowKey<Curious>("curious")
    let run = Flow().set("other" as FlowKey<Int>, to: 7).add("wait") { context in
      context[key] = Curious(bucket: buckets)
      context.update(key, default: Curious(bucket: buckets)) { $0 = Curious(bucket: buckets) }
      context[key] = nil
    }
    .setWillStartBlock { flow in if let bucket = flow.run?.bucket { buckets.append(bucket) } }.start()
    let lines = await run.outcome.report.lines
    #expect(lines.contains("[DataBucket] replace for curious: beside 7 -> beside 7"))
    #expect(lines.contains("[DataBucket] remove for curious: beside 7"))
  }

  @Test func `a record has the text that an object had when it was written`() async {
    final class Box: CustomStringConvertible, Sendable {
      let value = Locked(0)
      var description: String { "box of \(value.withLock { $0 })" }
    }
    let key = FlowKey<Box>("box")
    let lines = await Flow().add("writes") { context in
      let box = Box()
      context[key] = box
      box.value.withLock { $0 = 1 }
      context.update(key, default: box) { $0.value.withLock { $0 = 2 } }
      box.value.withLock { $0 = 3 }
      context[key] = nil
    }.run().report.lines
    #expect(lines.contains("[DataBucket] add for box: box of 0"))
    #expect(lines.contains("[DataBucket] replace for box: box of 0 -> box of 2"))
    #expect(lines.contains("[DataBucket] remove for box: box of 2"))
  }

  @Test func `a text within the bound is what Swift prints`() {
    struct Point: Hashable { let x: Int, name: String?, parts: [String: [Double]] }
    enum Shape { case none, circle(Double), line(from: Int, to: Int), named(String) }
    final class Object {}
    let values: [Any] = [
      Point(x: 1, name: "a\"b", parts: ["k": [1.5]]), Shape.none, Shape.circle(2), Shape.line(from: 1, to: 2),
      Shape.named("n\n"), [Shape.circle(1), .none], ["k": Shape.line(from: 1, to: 2)], (1, b: "x"),
      [Optional("a"), nil],
      Optional<Int>.none as Any, [Optional<Point>.none], Set([3]), [Set(["a"])], ["a"][...], [["a"][...]], [1: "one"],
      [String: Int](), [[:] as [Int: Int]], ContiguousArray([1]), [ContiguousArray([1])], Object(),
      [Object.self] as [Any],
      TestError(name: "e"), [TestError(name: "e")], 0..<3, [0..<3], true, 1.5, "c" as Character, ["c" as Character],
      (["a": (1, 2)] as KeyValuePairs), Result<Int, TestError>.success(1), Point.self, UInt8(3), [UInt8(3)],
      ["é", "\u{1F600}"],
      [1: ["a": Set([1])]],
    ]
    for value in values { #expect(ValueText.describe(value) == String(describing: value)) }
  }

  @Test func `values that lie deep within others end with a mark`() {
    indirect enum List { case end, node(Int, List) }
    var list = List.end
    for number in 0..<500 { list = .node(number, list) }
    #expect(ValueText.describe(list).count <= 1_001)
  }
}
