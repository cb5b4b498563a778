import Foundation
import TestSupport
import Testing

@testable import OperationFlow

/// Items of a group of which a record doesn't contain everything.
@Suite(.watched) struct RecordedItemsTests {
  /// Returns the record of a group with these events of its items.
  private func record(of count: Int, _ events: [(item: Int, attempt: Int, kind: FlowEvent.Kind)]) -> FlowRecord {
    let step = FlowRecord.Step(
      id: 0, parent: nil, name: "send", number: 1, kind: .group(width: 1, stopText: nil), path: "1. send",
      state: .succeeded, attempts: 1, items: FlowReport.Items(total: count, succeeded: count, failed: 0, cancelled: 0))
    return FlowRecord(
      flowName: "Upload", steps: [step],
      events: events.enumerated().map { number, event in
        FlowEvent(
          date: Date(microseconds: Int64(number)),
          source: FlowEvent.Source("send", step: 0, item: event.item, attempt: event.attempt), kind: event.kind,
          number: number, path: nil)
      })
  }

  @Test func `undos of a large group that had ended before a resume are folded`() {
    let undos = (0..<30).flatMap { [($0, 1, FlowEvent.Kind.undoStarted), ($0, 1, .undoFinished(.successfully))] }
    let summary = record(of: 30, undos).summary(style: .withoutTimes)
    #expect(summary.contains("[send] items: 30 of 30 succeeded\n") && !summary.contains("Undo"), "\(summary)")
  }

  @Test func `an item whose start is left out has its name and its attempts`() throws {
    let events: [(Int, Int, FlowEvent.Kind)] = [
      (0, 1, .started), (0, 1, .finished(.successfully)), (4, 2, .finished(.successfully)),
    ]
    let items = try #require(RecordedItems.all(in: record(of: 30, events))[0])
    #expect(items.items.map(\.attempts) == [1, 2] && items.slowest.map(\.index) == [0])
    #expect(items.items.allSatisfy { items.name(of: $0) == nil })
  }
}
