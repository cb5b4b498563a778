import Syrup
import TestSupport
import Testing

@Suite(.watched) struct StoredTests {
  @Test func `a callback that is kept in a variable is called for each way to bind it`() async {
    let keeper = Keeper()
    let counts = AsyncStream<Int> { stream in
      keeper.handler = { useResult in stream.yield((try? useResult()) ?? -1) }
      keeper.useStored { _ in }
    }
    var iterator = counts.makeAsyncIterator()
    for _ in 0..<6 { #expect(await iterator.next() == 0) }
  }

  @Test func `a method is a future`() async throws {
    let keeper = Keeper()
    keeper.count = 7
    #expect(try await keeper.future().value == 7)
  }

  @Test func `a performer and a progress that change their owner are called`() async throws {
    let keeper = Keeper()
    let line = keeper.perform(on: { work in work() })
    line.add(UpCount(left: 2))
    #expect(line.activeCount == 0 && line.pendingCount == 0)
  }

  @Test func `a user's own combinator sees both cases`() async throws {
    let log = LockLog()
    #expect(try await Deferred { 1 }.logging { log.add($0) }.value == 1)
    #expect(try await Deferred.future { $0 { 2 } }.map { $0 + 1 }.logging { log.add($0) }.value == 3)
    #expect(log.all == ["unit", "future"])
  }

  @Test func `the error that was named can be looked for`() {
    #expect(count(of: Deferred<Int>.Error.underlyingErrors([URLError(.badURL), URLError(.unknown)])) == 2)
  }
}
