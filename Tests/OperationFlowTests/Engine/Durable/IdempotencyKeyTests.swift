import Foundation
import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct IdempotencyKeyTests {
  @Test func `a key that is first read after an undo has ended is the undo's`() async {
    let (keys, isOver) = (Journal<String>(), Signal())
    let read = Signal()
    let flow = Flow("Late")
      .add(
        "one",
        .undo { context in
          Task {
            await isOver.wait()
            keys.append(context.idempotencyKey)
            read.fire()
          }
        }
      ) { _ in }
      .add("two") { _ in throw TestError(name: "end") }
    _ = await flow.run(id: "a", in: MemoryFlowStore())
    isOver.fire()
    await read.wait()
    #expect(keys.entries == ["a/1. one/undo"])
  }

  @Test func `a key that is first read after a recovery has ended is the recovery's`() async {
    let (keys, isOver, read) = (Journal<String>(), Signal(), Signal())
    let flow = Flow("Late")
      .add(
        "one",
        .recover { _, context in
          Task {
            await isOver.wait()
            keys.append(context.idempotencyKey)
            read.fire()
          }
        }
      ) { _ in throw TestError(name: "one") }
    #expect(await flow.run(id: "a", in: MemoryFlowStore()).isSuccess)
    isOver.fire()
    await read.wait()
    #expect(keys.entries == ["a/1. one/recovery"])
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
