import Foundation
import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct WaitingForTests {
  private func texts(_ run: FlowRun) -> [String] {
    run.waitingFor.map { "\($0.source) at \($0.path?.description ?? "-"): \($0.reason)" }
  }

  @Test func `it names the operation whose callback never comes, and since when`() async throws {
    let (isWaiting, before) = (Signal(), Date())
    let run = Flow("mine").add("first") { _ in }
      .step("download") {
        $0.startWithAsynchronous()
        isWaiting.fire()
      }
      .add("last") { _ in }.start()
    await isWaiting.wait()
    #expect(texts(run) == ["[download] at 2. BlockOp: work"])
    let waiting = try #require(run.waitingFor.first)
    #expect(before <= waiting.since && waiting.since <= Date())
    #expect(waiting.item == nil && waiting.attempt == 1)
    #expect(waiting.description == "[download] since \(waiting.since)")
    run.cancel()
    #expect(await run.outcome.isCancelled)
    #expect(run.waitingFor.isEmpty)
  }

  @Test func `it names the items of a group that are at work, and not the others`() async {
    let (arrived, mayEnd) = (Tally(), Signal())
    let run = Flow().forEach(in: 0..<6, width: 3, .named("upload")) { _, _ in await arrived.add(thenAwait: mayEnd) }
      .start()
    await arrived.reach(3)
    #expect(run.waitingFor.compactMap(\.item).sorted() == [0, 1, 2])
    #expect(run.waitingFor.allSatisfy { $0.path == "1. upload" && $0.source.name == "upload" })
    mayEnd.fire()
    #expect(await run.outcome.isSuccess)
    #expect(run.waitingFor.isEmpty)
  }

  @Test func `it tells work from dependencies and from the next element of a sequence`() async {
    let (outside, operation) = (BlockOp(), NoticedOp())
    operation.addDependency(outside)
    let (stream, items) = AsyncStream.makeStream(of: Int.self)
    let isPulling = Signal()
    let source = AsyncStream {
      isPulling.fire()
      var iterator = stream.makeAsyncIterator()
      return await iterator.next()
    }
    let run = Flow().add(operation: operation).forEach(in: source) { _, _ in }.start()
    await operation.isNoticed.wait()
    while texts(run) != ["[NoticedOp] at 1. NoticedOp: dependencies"] { await Task.yield() }
    outside.start()
    await isPulling.wait()
    #expect(texts(run) == ["[forEach] at 2. forEach: nextItem"])
    items.finish()
    #expect(await run.outcome.isSuccess)
  }

  @Test func `it is empty before the run has begun, and the oldest comes first`() async {
    let (first, second, mayEnd) = (Signal(), Signal(), Signal())
    let run = await MainActor.run {
      let run = Flow().setWillStartBlock { _ in }
        .addParallel(
          "both",
          [
            "a": Flow().add("first") { _ in await first.fire(thenAwait: mayEnd) },
            "b": Flow().add("wait") { _ in await first.wait() }.add("second") { _ in
              await second.fire(thenAwait: mayEnd)
            },
          ]
        ).start()
      #expect(run.waitingFor.isEmpty)
      return run
    }
    await second.wait()
    #expect(run.waitingFor.map(\.source.name) == ["first", "second"])
    mayEnd.fire()
    #expect(await run.outcome.isSuccess)
  }

  @Test func `it is the attempt that is under way`() async {
    let (isAgain, mayEnd) = (Signal(), Signal())
    let run = Flow().add("retried", .retry(.attempts(2))) { context in
      if context.attempt == 1 { throw TestError() }
      await isAgain.fire(thenAwait: mayEnd)
    }.start()
    await isAgain.wait()
    #expect(run.waitingFor.map(\.attempt) == [2])
    mayEnd.fire()
    #expect(await run.outcome.isSuccess)
  }
}
