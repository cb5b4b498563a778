import Foundation
import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

@Suite(.watched) struct RandomFlowRecordTests {
  private func encoded<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
  }

  @Test func `a record that was encoded and decoded is equal, for runs of every kind of step`() async throws {
    for seed in 0..<60 {
      let outcome = await RandomFlow(seed: UInt64(seed)).build().run()
      let record = outcome.report.record
      let read = try encoded(record)
      #expect(read == record, "seed \(seed)")
      #expect(read.events.map(\.path) == record.events.map(\.path))
      #expect(read.summary() == record.summary() && record.summary() == outcome.report.summary)
      #expect(read.summary(style: .brief) == record.summary(style: .brief))
      #expect(read.summary(style: .detailed) == record.summary(style: .detailed))
    }
  }

  @Test func `a record has what the report says of each step`() async {
    for seed in 0..<60 {
      let report = await RandomFlow(seed: UInt64(seed)).build().run().report
      let steps = report.record.steps.filter { $0.kind != .branch }
      #expect(steps.map(\.path) == report.steps.map(\.path), "seed \(seed)")
      #expect(steps.map(\.state.rawValue) == report.steps.map { "\($0.end)" }, "seed \(seed)")
      #expect(steps.map(\.attempts) == report.steps.map(\.attempts))
      #expect(steps.map { $0.items?.failed } == report.steps.map { $0.items?.failed })
    }
  }
}
