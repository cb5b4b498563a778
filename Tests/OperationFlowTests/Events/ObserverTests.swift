import Dispatch
import Foundation
import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct ObserverTests {
  private func text(_ event: FlowEvent) -> String { "\(event.source) \(event.kind.summaryText)" }

  @Test func `an observer is told of every event once, in the record's order, one at a time`() async {
    let (seen, telling) = (Journal<String>(), Counter())
    let work = Work { operation in
      operation.startWithAsynchronous()
      DispatchQueue.global().async {
        operation.setData(name: "output", value: 1)
        operation.log(message: "hello")
        operation.finishSuccessfully()
      }
    }
    let outcome = await Flow.group(Array(repeating: work, count: 200), width: 8)
      .observe { event in
        telling.enter()
        seen.append(text(event))
        telling.leave()
      }
      .step { operation in
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
          for _ in 0..<100 { operation.log(message: "hello") }
        }
        operation.finishSuccessfully()
      }
      .forEach(in: 0..<200, width: 8) { item, context in
        if item.isMultiple(of: 3) { await Task.yield() }
        context.log("\(item)")
      }
      .run()
    #expect(seen.entries == outcome.report.lines)
    #expect(seen.entries.count == 1_808)
    #expect(telling.peak == 1)
  }

  @Test func `each of several observers is told, in the order in which they were added`() async {
    let seen = Journal<String>()
    let outcome = await Flow()
      .observe { seen.append("1 " + text($0)) }.observe { seen.append("2 " + text($0)) }
      .add("step") { _ in }.run()
    #expect(seen.entries == outcome.report.lines.flatMap { ["1 " + $0, "2 " + $0] })
  }

  @Test func `it is told where the event comes up, before a serial flow goes on`() async {
    let seen = Journal<String>()
    _ = await Flow()
      .observe { event in if event.kind == .started { seen.append("started \(event.source.name)") } }
      .add("first") { _ in seen.append("first") }
      .add("second") { _ in seen.append("second") }
      .run()
    #expect(seen.entries == ["started first", "first", "started second", "second"])
  }

  @Test func `it may use the flow, and cancel its run`() async {
    let flow = Flow("mine").set("seen", to: 1)
    flow.observe { [weak flow] event in
      guard event.source.name == "second", event.kind == .started else { return }
      flow?.setData(name: "seen", value: 2)
      flow?.log(message: "\(flow?.dataBucket["seen"] as Any)")
      _ = flow?.generateSummary()
      flow?.cancel()
    }
    let outcome = await flow.add("first") { _ in }.add("second") { _ in }.add("third") { _ in fail("ran") }.run()
    #expect(outcome.isCancelled && outcome.report.lines.contains("[DataBucket] replace for seen: 1 -> 2"))
    #expect(outcome.report.lines.contains("[mine] Optional(2)"))
  }

  @Test func `cancelling on hearing that a step has ended, no other starts`() async {
    let flow = Flow()
    flow.observe { [weak flow] event in
      if event.source.name == "first", case .finished = event.kind { flow?.cancel() }
    }
    let outcome = await flow.add("first") { _ in }.add("second") { _ in fail("ran") }.run()
    #expect(outcome.isCancelled && !outcome.report.lines.contains("[second] WillStart"))
  }

  @Test func `it is told of every run, and not of one that is under way when it is added`() async {
    let seen = Counter()
    let mayEnd = Signal()
    let flow = Flow().add("step") { _ in await mayEnd.wait() }
    let first = flow.start()
    flow.observe { _ in seen.enter() }
    mayEnd.fire()
    _ = await first.outcome
    #expect(seen.total == 0)
    for count in 1...3 {
      #expect(await flow.run().isSuccess)
      #expect(seen.total == count * 4)
    }
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
    // The observer handles an event on another thread, while the flow ends.
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

  @Test func `it is told of what was logged and written before the start`() async {
    let seen = Journal<String>()
    let flow = Flow().observe { seen.append(text($0)) }
    flow.log(message: "early")
    flow.setData(name: "a", value: 1)
    _ = await flow.add("step") { _ in }.run()
    #expect(seen.entries.prefix(3) == ["[Flow] early", "[DataBucket] add for a: 1", "[DataBucket] start with:\na: 1"])
  }
}
