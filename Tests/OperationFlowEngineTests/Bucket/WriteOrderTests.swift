import Dispatch
import TestSupport
import Testing

@testable import OperationFlow

/// The record of writes is in the order of the writes, whichever thread writes.
@Suite(.watched) struct WriteOrderTests {
  /// Returns true if each event's old value is the new value of the event before.
  private func isChain(_ events: [FlowEvent], name: String, first: String) -> Bool {
    var current = first
    for event in events {
      switch event.kind {
      case .added(name, let text): current = text
      case .replaced(name, let old, let new):
        guard old == current else { return false }
        current = new
      default: break
      }
    }
    return true
  }

  @Test func `writes from many threads into the bucket`() async {
    let outcome = await Flow().recording(.everything).setDataBucket(dataBucket: ["value": -1]).step { operation in
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for number in 0..<500 { operation.setData(name: "value", value: thread * 1_000 + number) }
      }
      operation.finishSuccessfully()
    }.run()
    let isInOrder = isChain(outcome.report.events, name: "value", first: "-1")
    let count = outcome.report.events.filter { $0.source == .dataBucket }.count
    #expect(isInOrder && count == 2_002)
  }

  @Test func `writes of the flow and of an operation at the same time`() async {
    let flow = Flow().recording(.everything).setDataBucket(dataBucket: ["value": -1])
    let isRunning = Signal()
    let run = flow.step { operation in
      isRunning.fire()
      for number in 0..<2_000 { operation.setData(name: "value", value: number) }
      operation.finishSuccessfully()
    }.start()
    await isRunning.wait()
    for number in 0..<2_000 where run.currentOutcome == nil { flow.setData(name: "value", value: -number) }
    let isInOrder = isChain(await run.outcome.report.events, name: "value", first: "-1")
    #expect(isInOrder)
  }

  @Test func `writes from many threads into an item's scope`() async {
    let work = Work { operation in
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for number in 0..<2_000 { operation.setData(name: "output", value: thread * 10_000 + number) }
      }
      operation.finishSuccessfully()
    }
    let outcome = await Flow.group([work]).recording(.everything).run()
    // The write is made under the operation's lock, and recorded outside of it.
    let isInOrder = isChain(outcome.report.events, name: "output", first: "")
    #expect(isInOrder)
  }

  @Test func `times never run backwards`() async {
    let outcome = await Flow().recording(.everything).step { operation in
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for number in 0..<500 { operation.log(message: "\(thread) \(number)") }
      }
      operation.finishSuccessfully()
    }.run()
    let dates = outcome.report.events.map(\.date)
    #expect(dates.count == 2_004)
    #expect(zip(dates, dates.dropFirst()).allSatisfy { $0 <= $1 })
  }
}
