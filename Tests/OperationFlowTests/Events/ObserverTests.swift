import Dispatch
import Foundation
import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct ObserverTests {
  @Test func `an observer is told of every event once, in the record's order`() async {
    let (seen, isDone) = (Journal<FlowEvent.Kind>(), Signal())
    let work = Work { operation in
      operation.startWithAsynchronous()
      DispatchQueue.global().async {
        operation.setData(name: "output", value: 1)
        operation.log(message: "hello")
        operation.finishSuccessfully()
      }
    }
    let outcome = await Flow.group(Array(repeating: work, count: 200), width: 8)
      .observe {
        seen.append($0.kind)
        if case .flowFinished = $0.kind { isDone.fire() }
      }.run()
    await isDone.wait()
    #expect(seen.entries == outcome.report.events.map(\.kind))
    #expect(seen.entries.count == 200 * 4 + 5)
  }

  @Test func `observers are told one event at a time`() async {
    let (inside, isDone) = (Counter(), Signal())
    let work = Work { operation in
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        for _ in 0..<100 { operation.log(message: "hello") }
      }
      operation.finishSuccessfully()
    }
    _ = await Flow.group([work, work], width: 2).observe { event in
      inside.enter()
      inside.leave()
      if case .flowFinished = event.kind { isDone.fire() }
    }.run()
    await isDone.wait()
    #expect(inside.peak == 1)
    #expect(inside.total == 2 * 402 + 5)
  }

  @Test func `an observer may use the flow`() async {
    let flow = Flow("mine").setData(name: "number", value: 1)
    let isDone = Signal()
    flow.observe { [weak flow] event in
      switch event.kind {
      case .started:
        flow?.setData(name: "number", value: 2)
        flow?.log(message: "\(flow?.dataBucket["number"] as Any)")
        _ = flow?.generateSummary()
      case .flowFinished: isDone.fire()
      default: break
      }
    }
    let outcome = await flow.step().run()
    await isDone.wait()
    #expect(outcome.report.lines.contains("[DataBucket] replace for number: 1 -> 2"))
    #expect(outcome.report.lines.contains("[mine] Optional(2)"))
  }

  @Test func `an observer may cancel the flow`() async {
    let flow = Flow()
    flow.observe { [weak flow] event in if case .started = event.kind { flow?.cancel() } }
    let outcome = await flow.step().step { _ in fail("ran") }.run()
    guard case .cancelled = outcome else { return fail("not cancelled") }
  }

  @Test func `two observers are told in the order in which they were added`() async {
    let (seen, isDone) = (Journal<Int>(), Signal())
    _ = await Flow().observe { _ in seen.append(1) }.observe {
      seen.append(2)
      if case .flowFinished = $0.kind { isDone.fire() }
    }.step().run()
    await isDone.wait()
    #expect(seen.entries == [1, 2, 1, 2, 1, 2, 1, 2])
  }

  @Test func `an observer has been told of everything when the flow's end is known`() async {
    let (isWaiting, isCaught, gate, seen) = (Signal(), Signal(), Gate(), Tally())
    let operation = BlockOp {
      $0.startWithAsynchronous()
      isWaiting.fire()
    }
    let flow = Flow().add(operation: operation)
    let run = flow.observe { event in
      if case .logged = event.kind {
        isCaught.fire()
        gate.pass()
      }
      seen.add()
    }.start()
    await isWaiting.wait()
    // The observer is caught in an event that another thread delivers, while the flow comes to its end.
    async let logging: Void = inThread { flow.log(message: "hello") }
    await isCaught.wait()
    operation.finishSuccessfully()
    let seenAtTheEnd = Task {
      _ = await run.outcome
      return seen.count
    }
    gate.open()
    await logging
    let count = await run.outcome.report.events.count
    #expect(await seenAtTheEnd.value == count)
  }
}
