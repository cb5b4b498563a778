import Foundation
import OperationFlow
import OperationFlowProgressions

// Work whose cost per piece must not grow if there are four times as many pieces, or if they are four times as large.
extension Benchmark {
  /// Compares a run with `count` pieces of work with four runs of a quarter of them.
  private static func growth(
    _ name: String, of count: Int, limit: Double = 1.5, _ run: @escaping @Sendable (_ count: Int) async -> Void
  ) -> Benchmark {
    let quarter = "\((count / 4).formatted()), four times"
    return Benchmark(
      name: name, unitCount: count, baseline: quarter,
      peers: [
        Peer(quarter) { for _ in 0..<4 { await run(count / 4) } },
        Peer(count.formatted(), limit: limit) { await run(count) },
      ])
  }

  /// A group with the greatest possible width, which must not cost more than a narrow one.
  static let widthOfAll = Benchmark(
    name: "group of 1,000,000 no-op items", unitCount: 1_000_000, baseline: "width 3",
    peers: [
      Peer("width 3") { _ = await narrow.run() },
      Peer("width Int.max", limit: 1.2) { _ = await wide.run() },
    ])

  private static let manyItems: FlowKey<[Int]> = "items"
  private static let narrow = Flow().set(manyItems, to: Array(0..<1_000_000)).forEach(manyItems, width: 3) { _, _ in }
  private static let wide = Flow().set(manyItems, to: Array(0..<1_000_000)).forEach(manyItems, width: .max) { _, _ in }

  /// Checking a flow at its start.
  static let branches = growth("a branch of one cases step, checked and started", of: 6_400) { count in
    let flow = Flow().set("key" as FlowKey<String>, to: "value 0").cases(on: "key") { cases in
      for index in 0..<count { cases.when("value \(index)") { $0.add("nothing") { _ in } } }
    }
    _ = await flow.run()
  }

  /// Nested flows.
  static let nestedFlows = growth("a flow in a flow in a flow, built and run", of: 10_000) { count in
    var flow = Flow().add("innermost") { _ in }
    for _ in 0..<count { flow = Flow().add(flow: flow) }
    _ = await flow.run()
  }

  /// Nested cases.
  static let nestedCases = growth("cases in cases in cases, built and run", of: 10_000) { count in
    var flow = Flow().add("innermost") { _ in }
    for _ in 0..<count {
      let inner = flow
      flow = Flow().cases(on: "key") { $0.when("value") { $0.add(flow: inner) } }
    }
    _ = await flow.set("key" as FlowKey<String>, to: "value").run()
  }

  /// Two cases steps that test the same key, whose branches write what later ones may read.
  static let writingBranches = growth("a branch that writes, of two cases steps", of: 3_200) { count in
    let flow = Flow().set("key" as FlowKey<String>, to: "value 0")
    for _ in 0..<2 {
      flow.cases(on: "key") { cases in
        for index in 0..<count {
          let own = FlowKey<Int>("own \(index)")
          cases.when("value \(index)") { $0.add("writes", .writes(own)) { $0[own] = 1 } }
        }
      }
    }
    _ = await flow.run()
  }

  /// Writes of a value, of which the record contains only a limited text.
  static let bigValues = writes("a write of a dictionary", .standard)
  static let bigValuesUnrecorded = writes("a write of a dictionary, nothing recorded", .none)

  private static func writes(_ name: String, _ recording: FlowRecording) -> Benchmark {
    let writeCount = 1_000
    @Sendable func write(_ value: [Int: Int]) async {
      _ = await Flow().recording(recording).add("writes") { context in
        for _ in 0..<writeCount { context["value" as FlowKey<[Int: Int]>] = value }
      }.run()
    }
    return Benchmark(
      name: name, unitCount: writeCount, baseline: "25,000 keys",
      peers: [
        Peer("25,000 keys") { await write(quarterDictionary) },
        Peer("100,000 keys", limit: 1.5) { await write(dictionary) },
      ])
  }

  private static let dictionary = Dictionary(uniqueKeysWithValues: (0..<100_000).map { ($0, $0) })
  private static let quarterDictionary = Dictionary(uniqueKeysWithValues: (0..<25_000).map { ($0, $0) })

  /// Names that are marked as sensitive while the flow runs, each when it is written.
  static let sensitiveNames = growth("a step that writes a sensitive name of its own", of: 16_000) { count in
    let flow = Flow()
    for index in 0..<count {
      flow.add("writes") { $0[FlowKey<Int>("name \(index)", sensitive: true)] = index }
    }
    _ = await flow.run()
  }

  /// Progressions that run one after the other, as one progression.
  static let serialStages = growth("a progression of a Serial", of: 50_000) { count in
    let stages = (0..<count).map { Stage(number: $0, isDone: false) }
    _ = try? await Serial.start(stages: stages) { $0() }.run()
  }

  /// A progression that is done after one step.
  private struct Stage: Progression {
    let number: Int
    var isDone: Bool
    var result: Int? { isDone ? number : nil }

    mutating func updateOrDeferNext() throws -> Deferred<Stage>? {
      isDone = true
      return nil
    }
  }
}
