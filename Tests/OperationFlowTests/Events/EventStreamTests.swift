import Foundation
import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct EventStreamTests {
  private func texts(_ events: [FlowEvent]) -> [String] { events.map { "\($0.source) \($0.kind.summaryText)" } }

  private func collect(_ run: FlowRun) async -> [FlowEvent] {
    var events: [FlowEvent] = []
    for await event in run.events { events.append(event) }
    return events
  }

  private var busy: Flow {
    Flow().set("a", to: 1)
      .add("write") { $0["b"] = 1 }.add(LaterOp())
      .forEach(in: 0..<20, width: 3) { item, context in
        if item.isMultiple(of: 2) { await Task.yield() }
        context.update("sum", default: 0) { $0 += item }
      }
      .add("log") { $0.log("line") }
  }

  @Test func `each of several subscribers is told of all events in the record's order, and so is one after the end`()
    async
  {
    let run = busy.start()
    await withTaskGroup(of: [String].self) { group in
      for _ in 0..<8 { group.addTask { await texts(collect(run)) } }
      let lines = await run.outcome.report.lines
      for await seen in group { #expect(seen == lines) }
    }
    run.cancel()
    run.pause()
    let events = await collect(run)
    #expect(await texts(events) == run.outcome.report.lines)
    #expect(texts(events).first == "[DataBucket] start with:\na: 1")
    guard case .flowFinished(.successfully, _)? = events.last?.kind else { return fail("\(events.suffix(1))") }
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.date <= $1.date })
  }

  @Test func `a subscriber begins with the first event, whenever it comes`() async {
    let (hasBegun, mayEnd) = (Signal(), Signal())
    let run = Flow().add("a") { _ in }.add("waits") { _ in await hasBegun.fire(thenAwait: mayEnd) }.start()
    await hasBegun.wait()
    var iterator = run.events.makeAsyncIterator()
    #expect(await iterator.next()?.kind == .flowStarted([]))
    mayEnd.fire()
    let all = await run.outcome.report.lines
    #expect(await texts(collect(run)) == all)
    var rest: [FlowEvent] = []
    while let event = await iterator.next() { rest.append(event) }
    #expect(texts(rest) == Array(all.dropFirst()))
    #expect(await iterator.next() == nil)
  }

  @Test func `a slow subscriber holds nothing up and loses nothing`() async {
    let run = busy.start()
    let (isSlow, mayGoOn) = (Signal(), Signal())
    let slow = Task {
      var seen: [FlowEvent] = []
      for await event in run.events {
        seen.append(event)
        if seen.count == 2 {
          await isSlow.fire(thenAwait: mayGoOn)
        }
      }
      return seen
    }
    await isSlow.wait()
    let quick = await collect(run)
    let lines = await run.outcome.report.lines
    #expect(texts(quick) == lines)
    mayGoOn.fire()
    #expect(await texts(slow.value) == lines)
  }

  @Test func `a subscriber that is cancelled ends, and the run goes on`() async {
    let (hasBegun, mayEnd) = (Signal(), Signal())
    let run = Flow().add("waits") { _ in await hasBegun.fire(thenAwait: mayEnd) }.start()
    let hasSeen = Signal()
    let subscriber = Task {
      var count = 0
      for await event in run.events {
        count += 1
        if event.kind == .started { hasSeen.fire() }
      }
      return count
    }
    await hasBegun.wait()
    await hasSeen.wait()
    subscriber.cancel()
    #expect(await subscriber.value == 2)
    mayEnd.fire()
    #expect(await run.outcome.isSuccess)
  }

  @Test func `subscribers that are cancelled at any moment all end`() async {
    for _ in 0..<50 {
      let mayEnd = Signal()
      let run = Flow().add("waits") { _ in await mayEnd.wait() }.start()
      let subscribers = (0..<8).map { _ in Task { await collect(run).count } }
      for (index, subscriber) in subscribers.enumerated() where index.isMultiple(of: 2) {
        if index.isMultiple(of: 4) { await Task.yield() }
        subscriber.cancel()
      }
      mayEnd.fire()
      for subscriber in subscribers { #expect(await subscriber.value <= 4) }
      #expect(await run.outcome.isSuccess)
    }
  }

  @Test func `the events of a refused run say why`() async {
    let run = Flow("Bad").add(CopyOp("a")).start()
    let lines = await texts(collect(run))
    #expect(lines.count == 3)
    #expect(lines.dropFirst().first?.hasPrefix("[Bad] DidFinish: withInsufficientInputData: ") == true)
  }
}
