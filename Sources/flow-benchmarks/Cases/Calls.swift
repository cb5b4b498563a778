import Foundation
import OperationFlow

extension Benchmark {
  private static let callCount = 100_000

  /// One line of a record, compared with the minimum that a record needs.
  static let log = Benchmark(
    name: "a logged line", unitCount: callCount, baseline: "time and append under a lock",
    peers: [
      Peer("time and append under a lock") {
        let (lock, lines) = (NSLock(), Box<[(Date, String)]>([]))
        for _ in 0..<callCount { lock.withLock { lines.value.append((Date(), "a line")) } }
      },
      Peer("log(message:)", limit: 2.0) { _ = await Flow().add(CallingOp { $0.log(message: "a line") }).run() },
    ])

  /// A typed read of the data bucket, compared with a locked dictionary.
  static let getData = Benchmark(
    name: "a typed read", unitCount: callCount, baseline: "a locked dictionary",
    peers: [
      Peer("a locked dictionary") {
        let (lock, values) = (NSLock(), ["key": 5 as any Sendable])
        var sum = 0
        for _ in 0..<callCount { sum &+= lock.withLock { values["key"] as? Int } ?? 0 }
        keep(sum)
      },
      Peer("getData", limit: 1.5) {
        _ = await Flow().setDataBucket(dataBucket: ["key": 5])
          .add(
            CallingOp {
              let number: Int? = $0.getData(name: "key")
              keep(number)
            }
          ).run()
      },
    ])

  /// An operation that makes the same call many times.
  private final class CallingOp: FlowOperation, @unchecked Sendable {
    private let call: @Sendable (FlowOperation) -> Void

    init(_ call: @escaping @Sendable (FlowOperation) -> Void) { self.call = call }

    override func mainLogic() {
      for _ in 0..<callCount { call(self) }
      finishSuccessfully()
    }
  }
}

/// A value in an object, so that a closure can change it.
private final class Box<Value> {
  var value: Value
  init(_ value: Value) { self.value = value }
}
