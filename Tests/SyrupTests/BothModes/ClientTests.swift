import Syrup
import TestSupport
import Testing

/// A file that is removed when it is freed.
final class SampleFile: Sendable {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + ".json")

  init(_ text: String = #"{"title": "abc", "count": 5}"#) throws { try Data(text.utf8).write(to: url) }
  deinit { try? FileManager.default.removeItem(at: url) }
}

@Suite(.watched) struct ClientTests {
  private let reader = Reader()
  private let destination = URL(fileURLWithPath: "/accepted")

  @Test func `a file is read step by step under its lock`() async throws {
    let file = try SampleFile()
    let text = await withCheckedContinuation { done in reader.read(file.url) { done.resume(returning: $0) } }
    #expect(text == "abc 5")
  }

  @Test func `a file that is missing fails the whole progression`() async {
    let text = await withCheckedContinuation { done in
      reader.read(URL(fileURLWithPath: "/none.json")) { done.resume(returning: $0) }
    }
    #expect(text.contains("missing(fileURL:"))
  }

  @Test func `a file that can't be parsed fails with the parser's error`() async throws {
    let file = try SampleFile("no JSON")
    let text = await withCheckedContinuation { done in reader.read(file.url) { done.resume(returning: $0) } }
    #expect(!text.isEmpty && text != "abc 5")
  }

  @Test func `a result that is a progression runs in the callback of the first`() async throws {
    let file = try SampleFile()
    let url = await withCheckedContinuation { done in reader.lockTwice(file.url) { done.resume(returning: $0) } }
    #expect(url == file.url)
  }

  @Test func `progressions of progressions are bound, joined, and end on the main queue`() async throws {
    let file = try SampleFile()
    let (isMain, text) = await withCheckedContinuation { done in
      reader.upload(file.url, to: destination) { done.resume(returning: ($0, $1)) }
    }
    #expect(isMain && text == "5")
  }

  @Test func `an error of an inner progression ends the outer one`() async throws {
    let file = try SampleFile()
    let (_, refused) = await withCheckedContinuation { done in
      reader.upload(file.url, to: URL(fileURLWithPath: "/refused")) { done.resume(returning: ($0, $1)) }
    }
    #expect(refused.contains("uploadFailed(status: 403"))
    let (_, unreachable) = await withCheckedContinuation { done in
      reader.upload(file.url, to: URL(fileURLWithPath: "/none")) { done.resume(returning: ($0, $1)) }
    }
    #expect(unreachable.contains("-1000") || unreachable.contains("badURL"))
  }

  @Test func `Grain's spelling runs the same`() async throws {
    let file = try SampleFile()
    let text = await withCheckedContinuation { done in
      reader.uploadAsGrain(file.url, to: destination) { done.resume(returning: $0) }
    }
    #expect(text == "5")
  }

  @Test func `two results are joined`() async {
    let both = await withCheckedContinuation { done in reader.both { done.resume(returning: ($0, $1)) } }
    #expect(both == (5, "five"))
  }

  @Test func `closures run on a queue if they are sendable, and if they are written where they are used`() async {
    let squares = await withCheckedContinuation { done in
      reader.sendableSquares { done.resume(returning: $0) }
    }
    #expect(squares == [1, 4, 9, 16])
  }

  @Test func `a callback with a queue is called on it`() {
    let (queue, called) = (DispatchQueue(label: "callbacks"), Tally())
    let function: @Sendable (Int) -> Void = { _ in called.add() }
    let callbacks = [queue + { (_: Int) in called.add() }, queue + function, OwnQueue(queue: queue) + function]
    queue.suspend()
    for callback in callbacks { callback(1) }
    #expect(called.count == 0)
    queue.resume()
    queue.sync {}
    #expect(called.count == 3)
  }

  @Test func `closures over a queue keep their order`() async {
    let squares = await withCheckedContinuation { done in reader.squares { done.resume(returning: $0) } }
    #expect(squares == [0, 1, 4, 9, 16])
  }

  @Test func `progress sees every step, and cancels by returning false`() async throws {
    let file = try SampleFile()
    let (all, isThere) = await withCheckedContinuation { done in
      reader.steps(file.url, limit: 9) { done.resume(returning: ($0, $1)) }
    }
    #expect(all == ["read", "unserialize", "parse", "success"] && isThere)
    let (some, isThereYet) = await withCheckedContinuation { done in
      reader.steps(file.url, limit: 2) { done.resume(returning: ($0, $1)) }
    }
    #expect(some == ["read", "unserialize"] && !isThereYet)
  }

  @Test func `progressions run one after the other`() async throws {
    let file = try SampleFile()
    let counts = AsyncStream<Int> { stream in
      reader.serially([file.url, file.url, file.url]) { stream.yield($0) }
    }
    var iterator = counts.makeAsyncIterator()
    let two = [await iterator.next(), await iterator.next()]
    #expect(Set(two) == [3, 0])
  }

  @Test func `a production line is extended by what it runs, under both names of that`() throws {
    let file = try SampleFile()
    let line = ProductionLine<FileLock>(maxCount: 1, performer: { DispatchQueue.global().async(execute: $0) })
    line.hold(file.url)
    line.add([file.url, file.url])
    #expect(line.pendingCount == 3 && line.activeCount == 0)
    line.clearPending()
  }

  @Test func `an error can be gone on from`() async throws {
    #expect(try await reader.failing().value == -1)
  }

  @MainActor
  @Test func `a screen of the main actor shows what was read`() async throws {
    let file = try SampleFile()
    let screen = Screen()
    await withCheckedContinuation { done in
      screen.didChange = { done.resume() }
      screen.load(file.url)
    }
    #expect(screen.title == "abc")
  }
}

/// A queue of a client's own.
private struct OwnQueue: CallbackQueue {
  let queue: DispatchQueue

  func call(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
}
