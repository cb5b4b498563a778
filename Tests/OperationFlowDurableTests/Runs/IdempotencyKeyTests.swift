import Foundation
import OperationFlow
import OperationFlowDurable
import TestSupport
import Testing

@Suite(.watched) struct IdempotencyKeyTests {
  @Test func `keys are the same for every attempt, and differ for undos and for runs without an identifier`() async {
    let keys = Journal<String>()
    let flow = Flow("Keys")
      .add("one", .retry(.attempts(2)), .undo { keys.append($0.idempotencyKey) }) { context in
        keys.append(context.idempotencyKey)
        if context.attempt == 1 { throw TestError(name: "first") }
      }
      .add("two") { _ in throw TestError(name: "end") }
    _ = await flow.run(id: "a", in: MemoryFlowStore())
    #expect(keys.entries == ["a/1. one", "a/1. one", "a/1. one/undo"])
    for _ in 0..<2 { _ = await flow.run() }
    let random = Array(keys.entries.dropFirst(3))
    #expect(random[0] == random[1] && random[0] != random[3] && random[0].hasSuffix("/1. one"))
  }

  @Test(arguments: ["undo", "recovery"])
  func `a key that is first read after the work has ended is that work's all the same`(work: String) async {
    let (keys, isOver, read) = (Journal<String>(), Signal(), Signal())
    let late: @Sendable (FlowContext) -> Void = { context in
      Task {
        await isOver.wait()
        keys.append(context.idempotencyKey)
        read.fire()
      }
    }
    let flow = Flow("Late")
    if work == "undo" {
      flow.add("one", .undo { late($0) }) { _ in }.add("two") { _ in throw TestError(name: "end") }
    } else {
      flow.add("one", .recover { _, context in late(context) }) { _ in throw TestError(name: "one") }
    }
    _ = await flow.run(id: "a", in: MemoryFlowStore())
    await isOver.fire(thenAwait: read)
    #expect(keys.entries == ["a/1. one/\(work)"])
  }

  @Test func `each item has a key, which is the same at each attempt`() async {
    let keys = Journal<String>()
    let flow = Flow("Keys").forEach(in: 0..<2, width: 1, .named("send"), .retry(.attempts(2))) { _, context in
      keys.append(context.idempotencyKey)
      if context.attempt == 1 { throw TestError(name: "first") }
    }
    _ = await flow.run(id: "run", in: MemoryFlowStore())
    #expect(keys.entries.count == 4 && Set(keys.entries).count == 2)
    #expect(keys.entries.filter { $0.hasSuffix("#0") }.count == 2)
  }

  @Test func `slashes in names and identifiers part no keys`() async {
    let keys = Journal<String>()
    for (id, name) in [("a/1. b", "c"), ("a", "b/1. c"), ("a%2F1. b", "c"), ("a/1. b/undo", "c")] {
      _ = await Flow("Slashes")
        .add(name, .undo { keys.append($0.idempotencyKey) }) { keys.append($0.idempotencyKey) }
        .add("end") { _ in throw TestError(name: "end") }
        .run(id: id, in: MemoryFlowStore())
    }
    #expect(
      keys.entries == [
        "a%2F1. b/1. c", "a%2F1. b/1. c/undo", "a/1. b%2F1. c", "a/1. b%2F1. c/undo", "a%252F1. b/1. c",
        "a%252F1. b/1. c/undo", "a%2F1. b%2Fundo/1. c", "a%2F1. b%2Fundo/1. c/undo",
      ])
  }
}
