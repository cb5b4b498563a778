import Dispatch
import TestSupport
import Testing

@testable import OperationFlowProgressions

@Suite(.watched) struct DeferredTests {
  @Test func `nothing runs before it is performed, and each time it runs again`() async throws {
    let runs = Noted<String>()
    let deferred = Deferred { runs.add("unit") }.map { number in runs.add("map \(number)") }
      .flatMap { use in
        let number = try use()
        return .future { resolve in resolve { runs.add("future \(number)") } }
      }
    #expect(runs.all.isEmpty)
    #expect(try await deferred.value == 3)
    #expect(runs.all == ["unit", "map 1", "future 2"])
    #expect(try await deferred.value == 6)
  }

  @Test func `a result that is there at once is handed over before perform returns`() {
    let results = Noted<Int>()
    Deferred { 1 }.perform { use in results.add((try? use()) ?? -1) }
    Deferred.future { resolve in resolve { 2 } }.perform { use in results.add((try? use()) ?? -1) }
    Deferred { 1 }.map { $0 + 2 }.flatMap { use in .unit(use) }.perform { use in results.add((try? use()) ?? -1) }
    #expect(results.all == [1, 2, 3])
  }

  @Test func `a performance within a callback is over when it returns`() {
    let results = Noted<Int>()
    Deferred { 1 }.map { $0 }.perform { _ in
      Deferred { 2 }.map { $0 }.perform { use in results.add((try? use()) ?? -1) }
      results.add(3)
    }
    #expect(results.all == [2, 3])
  }

  @Test func `a future that resolves twice counts once`() async throws {
    let results = Noted<Int>()
    let callback = Callback<Int>()
    callback.future.perform { use in results.add((try? use()) ?? -1) }
    callback.resolve { 1 }
    callback.resolve { 2 }
    #expect(results.all == [1])
    let twice = Deferred<Int>.future { resolve in
      resolve { 3 }
      resolve { 4 }
    }
    twice.perform { use in results.add((try? use()) ?? -1) }
    #expect(try await twice.map { $0 }.value == 3)
    #expect(results.all == [1, 3])
  }

  @Test func `futures that are resolved within a transform call back in that order, when it has returned`() {
    let results = Noted<Int>()
    let callbacks = (0..<5).map { _ in Callback<Int>() }
    for (index, callback) in callbacks.enumerated() {
      callback.future.map { $0 + index }.perform { use in
        results.add((try? use()) ?? -1)
        if index == 1 { for callback in callbacks[3...] { callback.resolve { 20 } } }
      }
    }
    Deferred { 0 }.map { _ in
      for callback in callbacks[..<3] { callback.resolve { 10 } }
      results.add(0)
    }.perform { _ in results.add(1) }
    #expect(results.all == [0, 10, 11, 23, 24, 12, 1])
  }

  @Test func `a future that resolves from many threads at once counts once`() async {
    for _ in 0..<200 {
      let results = Noted<Int>()
      let callback = Callback<Int>()
      callback.future.map { $0 }.perform { use in results.add((try? use()) ?? -1) }
      await atOnce({ callback.resolve { 1 } }, { callback.resolve { 2 } }, { callback.resolve { 3 } })
      #expect(results.all.count == 1)
    }
  }

  @Test func `a future whose callback is dropped fails and says so`() async throws {
    let dropped = Deferred<Int>.future { _ in }
    let error = await #expect(throws: FlowError.self) { try await dropped.value }
    #expect(error?.code == .neverFinished)
    let callback = Callback<Int>()
    let results = Noted<Int>()
    callback.future.map { $0 + 1 }.flatMap { use in .unit(use) }.perform { use in results.add((try? use()) ?? -1) }
    #expect(results.all.isEmpty)
    callback.drop()
    #expect(results.all == [-1])
  }

  @Test func `an error passes by the transforms and can be gone on from`() async throws {
    let failed = Deferred<Int>(throwing: TestError()).map { number in
      Issue.record("it maps an error")
      return number
    }
    await #expect(throws: TestError()) { try await failed.value }
    #expect(try await failed.flatMap { use in .unit { (try? use()) ?? 7 } }.value == 7)
    await #expect(throws: TestError()) { try await Deferred { 1 }.map { _ -> Int in throw TestError() }.value }
    await #expect(throws: TestError()) {
      try await Deferred { 1 }.flatMap { _ -> Deferred<Int> in throw TestError() }.value
    }
    await #expect(throws: TestError()) { try await failed.ignoringResult().value }
  }

  @Test func `a transform runs once, whether its result is used or not`() async throws {
    let runs = Noted<Int>()
    let deferred = Deferred { 1 }.map { number in runs.add(number) }
    deferred.perform { _ in }
    #expect(runs.all.count == 1)
    deferred.perform { use in
      _ = try? use()
      _ = try? use()
    }
    #expect(runs.all.count == 2)
  }

  @Test @MainActor func `code on an actor reads the value, and the closure runs elsewhere`() async throws {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
    let isOnMain = { @Sendable in DispatchQueue.getSpecific(key: key) == true }
    await Task.yield()
    #expect(isOnMain())
    let number = 1
    #expect(try await Deferred { isOnMain() }.value == false)
    #expect(try await Deferred { isOnMain() }.map { [$0, isOnMain()] }.value == [false, false])
    #expect(try await UpdatingCount(to: 3).deferred(queue: .global()).map { $0 + number }.value == 4)
    await #expect(throws: TestError()) { try await Deferred<Int>(throwing: TestError()).value }
    #expect(isOnMain())
  }

  @Test func `what makes the result runs on the queue that asks for it`() async throws {
    let marked = MarkedQueue()
    let units = Deferred { marked.isCurrent }.map { $0 && marked.isCurrent }.map { $0 && marked.isCurrent }
    #expect(try await units.on(marked.queue).value)
    let future = Deferred<Int>.future { resolve in DispatchQueue.global().async { resolve { 1 } } }
    #expect(try await future.map { _ in marked.isCurrent }.on(marked.queue).value)
    #expect(try await future.map { _ in marked.isCurrent }.on(marked.queue).map { $0 && marked.isCurrent }.value)
    let other = MarkedQueue()
    let both = units.on(marked.queue).map { $0 && other.isCurrent }.on(other.queue)
    #expect(try await both.value)
    #expect(try await Deferred { marked.isCurrent }.and(Deferred { 1 }).on(marked.queue).value == (true, 1))
  }

  @Test func `a result is handed over on its queue`() async throws {
    let marked = MarkedQueue()
    let isThere = await withCheckedContinuation { done in
      Deferred { 1 }.on(marked.queue).perform { _ in done.resume(returning: marked.isCurrent) }
    }
    #expect(isThere)
  }

  @Test func `the second of two is performed after the first, and not if that fails`() async throws {
    let order = Noted<String>()
    let callback = Callback<Int>()
    let second = Deferred { order.add("second") }
    let both = callback.future.and(second)
    both.perform { use in order.add("\((try? use()).map { "\($0.0) \($0.1)" } ?? "failed")") }
    order.add("first")
    callback.resolve { 5 }
    #expect(order.all == ["first", "second", "5 2"])
    await #expect(throws: TestError()) { try await Deferred<Int>(throwing: TestError()).and(second).value }
    #expect(order.all.count == 3)
    await #expect(throws: TestError()) { try await second.and(Deferred<Int>(throwing: TestError())).value }
  }

  @Test func `closures over a queue run once each, and keep their order`() async throws {
    let queue = DispatchQueue(label: "all", attributes: .concurrent)
    let runs = Tally()
    let closures = (0..<1_000).map { number in
      { @Sendable () throws -> Int in
        runs.add()
        return number
      }
    }
    #expect(try await Deferred.all(closures, on: queue).value == Array(0..<1_000))
    #expect(runs.count == 1_000)
    #expect(try await Deferred<[Int]>.all([], on: queue).value == [])
  }

  @Test func `the first of the errors over a queue counts, once all have run`() async {
    let runs = Tally()
    let closures = (0..<10).map { number in
      { @Sendable () throws -> Int in
        runs.add()
        if number % 3 == 2 { throw TestError(name: "\(number)") }
        return number
      }
    }
    await #expect(throws: TestError(name: "2")) { try await Deferred.all(closures, on: .global()).value }
    #expect(runs.count == 10)
  }

  @Test func `a serial queue runs its closures one after the other`() async throws {
    let queue = DispatchQueue(label: "serial")
    let running = Locked(0)
    let closures = (0..<100).map { _ in
      { @Sendable () throws -> Bool in
        let isAlone = running.withLock { running in
          running += 1
          return running == 1
        }
        running.withLock { $0 -= 1 }
        return isAlone
      }
    }
    #expect(try await Deferred.all(closures, on: queue).value.allSatisfy(\.self))
  }
}
