import Foundation
import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct RecorderTests {
  private func line(_ number: Int) -> FlowEvent.Kind { .warned("\(number)") }
  private let source = FlowEvent.Source("test")

  @Test func `nothing is recorded after the last event, by another thread neither`() async {
    let late = Counter()
    for _ in 0..<TestSettings.amount(500) {
      let recorder = Recorder()
      let (last, source) = (line(-1), source)
      await atOnce(
        { recorder.seal(with: .plain(last), at: RunMoment(date: Date())) },
        { for number in 0..<20 { recorder.record(.warned("\(number)"), source: source) } })
      if recorder.log.events.last?.kind != last { late.enter() }
    }
    #expect(late.total == 0)
  }

  @Test func `many threads are told apart, and none of their events is lost`() async {
    let seen = Journal<FlowEvent.Kind>()
    let recorder = Recorder(observers: [{ seen.append($0.kind) }])
    let record = { @Sendable (first: Int) in
      for number in first..<first + 1_000 { recorder.record(.warned("\(number)"), source: FlowEvent.Source("test")) }
    }
    await atOnce({ record(0) }, { record(1_000) }, { record(2_000) })
    #expect(recorder.log.events.count == 3_000)
    #expect(Set(recorder.log.events.map(\.kind)).count == 3_000)
    #expect(seen.entries == recorder.log.events.map(\.kind))
  }

  @Test func `observers are let go when all has been delivered`() {
    let counter = Counter()
    var recorder: Recorder?
    do {
      let farewell = Token { counter.enter() }
      recorder = Recorder(observers: [{ _ in _ = farewell }])
    }
    recorder?.record(line(1), source: source)
    #expect(counter.total == 0)
    recorder?.seal(with: .plain(line(2)), at: RunMoment(date: Date()))
    #expect(counter.total == 1)
  }
}
