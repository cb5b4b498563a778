import OperationFlow

extension Benchmark {
  /// A flow's cost grows with its size: one of 4n takes as long as four of n.
  private static func growing(_ name: String, _ count: Int, _ run: @escaping @Sendable (Int) async -> Void) -> Benchmark
  {
    Benchmark(
      name: name, unitCount: 4 * count, baseline: "four of \(count)",
      peers: [
        Peer("four of \(count)") { for _ in 0..<4 { await run(count) } },
        Peer("one of \(4 * count)", limit: 2) { await run(4 * count) },
      ])
  }

  /// One cases step with many branches, checked at its start.
  static let branches = growing("branches of a cases step", 1_600) { count in
    let flow = Flow().set(FlowKey<String>("k"), to: "v0").cases(on: "k") { cases in
      for index in 0..<count { cases.when("v\(index)") { $0.add("step") { _ in } } }
    }
    await flow.run()
  }

  /// Many branches, one of two cases steps that ask for the same key, each of which writes something.
  static let writingBranches = growing("branches that write, of two cases steps", 800) { count in
    let flow = Flow().set(FlowKey<String>("k"), to: "v0")
    for _ in 0..<2 {
      flow.cases(on: "k") { cases in
        for index in 0..<count {
          cases.when("v\(index)") {
            $0.add("step", .writes(FlowKey<Int>("own \(index)"), FlowKey<Int>("all"))) { context in
              context[FlowKey<Int>("own \(index)")] = 1
              context[FlowKey<Int>("all")] = 1
            }
          }
        }
      }
    }
    await flow.run()
  }

  /// Flows within each other, built, checked and run.
  static let nestedFlows = growing("flows within each other", 2_500) { count in
    var flow = Flow("f").add("leaf") { _ in }
    for _ in 0..<count { flow = Flow("f").add(flow: flow) }
    await flow.run()
  }

  /// Cases within each other, built, checked and run.
  static let nestedCases = growing("cases within each other", 2_500) { count in
    var flow = Flow("f").add("leaf") { _ in }
    for _ in 0..<count {
      let inner = flow
      flow = Flow("f").cases(on: "k") { $0.when("a") { $0.add(flow: inner) } }
    }
    await flow.set(FlowKey<String>("k"), to: "a").run()
  }
}
