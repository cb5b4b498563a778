import Foundation
import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct EventLogTests {
  /// Returns the texts of a bounded record of one group's events, by the rule applied to the whole list.
  private func expected(_ events: [RecordedEvent], first: Int, last: Int) -> [String] {
    var kept: [String] = []
    var leftOut = 0
    let failures = events.indices.filter { events[$0].isFailure }
    for (index, event) in events.enumerated() {
      // An event of a failed item is recorded if it was still in the ring when the item failed.
      let failure = failures.first { $0 >= index && events[$0].source.item == event.source.item }
      let isOfFailure = failure.map { $0 - index <= last } ?? false
      if index < first || index >= events.count - last || isOfFailure {
        if leftOut > 0 { kept.append("\(leftOut) left out") }
        leftOut = 0
        kept.append("\(event.source.item ?? -1) \(event.kind.summaryText)")
      } else {
        leftOut += 1
      }
    }
    if leftOut > 0 { kept.append("\(leftOut) left out") }
    return kept
  }

  private func texts(_ events: [FlowEvent]) -> [String] {
    events.map { event in
      if case .leftOut(let count, _) = event.kind { return "\(count) left out" }
      return "\(event.source.item ?? -1) \(event.kind.summaryText)"
    }
  }

  /// Returns random events of items that start, log lines and finish, with at most `width` items at once.
  private func randomGroup(_ random: inout SeededGenerator) -> [RecordedEvent] {
    var (waiting, running, events) = (Array(0..<random.below(60)).reversed() as [Int], [Int](), [RecordedEvent]())
    let width = 1 + random.below(4)
    func add(_ item: Int, _ kind: FlowEvent.Kind) {
      events.append(
        RecordedEvent(
          time: Date(), source: FlowEvent.Source("item", item: item), recordedKind: .plain(kind),
          number: events.count))
    }
    while !waiting.isEmpty || !running.isEmpty {
      if running.count < width, let item = waiting.popLast() {
        running.append(item)
        add(item, .started)
      } else if random.oneIn(3) {
        add(running[random.below(running.count)], .logged("\(events.count)", .info))
      } else {
        let item = running.remove(at: random.below(running.count))
        add(item, .finished(random.oneIn(6) ? .withError("failed") : random.oneIn(9) ? .cancelled : .successfully))
      }
    }
    return events
  }

  @Test func `a group's record is what a plain reading of the rule says, at any moment`() {
    for seed in 0..<TestSettings.amount(500) {
      var random = SeededGenerator(seed: UInt64(seed))
      let (first, last) = (random.below(12), random.below(12))
      let events: [RecordedEvent] = randomGroup(&random)
      var log = EventLog(.bounded(first: first, last: last))
      for (count, event) in events.enumerated() {
        log.append(event)
        guard count == events.count - 1 || random.oneIn(10) else { continue }
        #expect(texts(log.events) == expected(Array(events[...count]), first: first, last: last), "seed \(seed)")
      }
    }
  }

  @Test func `long records are kept whole and in order`() {
    var log = EventLog()
    for number in 0..<5_000 {
      let kind = RecordedKind.plain(.logged("\(number)", .info))
      log.append(RecordedEvent(time: Date(), source: .record, recordedKind: kind, number: number))
    }
    #expect(texts(log.events) == (0..<5_000).map { "-1 \($0)" })
  }

  @Test func `an event takes 64 bytes`() {
    #expect(MemoryLayout<RecordedEvent>.stride == 64)
  }

  @Test func `steps at the same time have a share each, and the record has the order in which events came`() {
    for seed in 0..<500 {
      var random = SeededGenerator(seed: UInt64(seed))
      let (first, last) = (random.below(6), random.below(6))
      var log = EventLog(.bounded(first: first, last: last))
      var numbers = [Int: [Int]]()
      for number in 0..<random.below(120) {
        let step = random.below(3)
        numbers[step, default: []].append(number)
        let source = FlowEvent.Source("step", step: step)
        let kind = RecordedKind.plain(.logged("x", .info))
        log.append(RecordedEvent(time: Date(), source: source, recordedKind: kind, number: number))
      }
      let kept = log.events.filter { if case .logged = $0.kind { true } else { false } }.map(\.number)
      let expected = numbers.values.flatMap { Set($0.prefix(first) + $0.suffix(last)) }
      #expect(kept == expected.sorted(), "seed \(seed)")
      #expect(log.events.map(\.number) == log.events.map(\.number).sorted(), "seed \(seed)")
    }
  }
}
