import OperationFlow

/// What must not grow with the size of the data or of the record, compared at a size and at four times that.
extension Benchmark {
  /// A write of a name that is sensitive for the first time.
  static let sensitiveNames = Benchmark(
    name: "a fresh sensitive name, of 16,000 against one of 4,000", unitCount: 16_000, baseline: "4 times 4,000 names",
    peers: [
      Peer("4 times 4,000 names") { for _ in 0..<4 { await writeNames(4_000) } },
      Peer("16,000 names", limit: 1.3) { await writeNames(16_000) },
    ])

  private static func writeNames(_ count: Int) async {
    await Flow().add("writes") { context in
      for number in 0..<count { context.set(FlowKey<Int>("key\(number)", sensitive: true), to: number) }
    }.run()
  }

  /// A write of a dictionary, whose text is cut all the same.
  static let largeWrites = Benchmark(
    name: "a write of a dictionary of 100,000 against one of 25,000", unitCount: 1_000, baseline: "25,000 keys",
    peers: [
      Peer("25,000 keys") { await writes(small).run() },
      Peer("100,000 keys", limit: 1.3) { await writes(large).run() },
    ])

  private static let small = numbers(25_000)
  private static let large = numbers(100_000)

  private static func numbers(_ count: Int) -> [String: Int] {
    Dictionary(uniqueKeysWithValues: (0..<count).map { ("\($0)", $0) })
  }

  private static func writes(_ value: [String: Int]) -> Flow {
    Flow().add("writes") { context in for _ in 0..<1_000 { context["value"] = value } }
  }
}
