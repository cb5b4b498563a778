import Dispatch

@testable import OperationFlowProgressions

/// A progression that counts from `step` to `goal`, by one in each step.
protocol Counting: Progression, Sendable, Equatable where Result == Int {
  init(step: Int, goal: Int)
  var step: Int { get }
  var goal: Int { get }
}

extension Counting {
  init(to goal: Int) { self.init(step: 0, goal: goal) }
  var result: Int? { step >= goal ? step : nil }
  var following: Self { Self(step: step + 1, goal: goal) }
}

/// Counts by changing itself.
struct UpdatingCount: Counting {
  var step: Int
  let goal: Int

  mutating func updateOrDeferNext() throws -> Deferred<Self>? {
    step += 1
    return nil
  }
}

/// Counts by returning closures that make the next step, as an update.
struct UnitCount: Counting {
  var step: Int
  let goal: Int

  mutating func updateOrDeferNext() throws -> Deferred<Self>? { .unit { [following] in following } }
}

/// Counts by returning futures that call back immediately.
struct ImmediateCount: Counting {
  let step: Int
  let goal: Int

  func next() -> Deferred<Self> { .future { resolve in resolve { following } } }
}

/// Counts by returning futures that call back from a queue.
struct LaterCount: Counting {
  let step: Int
  let goal: Int

  func next() -> Deferred<Self> {
    .future { resolve in DispatchQueue.global().async { resolve { following } } }
  }
}

/// Counts in an asynchronous function that doesn't suspend.
struct AdvancingCount: Counting {
  var step: Int
  let goal: Int

  mutating func advance() async throws { step += 1 }
}

/// Counts in an asynchronous function that suspends.
struct SuspendingCount: Counting {
  var step: Int
  let goal: Int

  mutating func advance() async throws {
    await Task.yield()
    step += 1
  }
}

/// Counts in another way in each step.
struct MixedCount: Counting {
  var step: Int
  let goal: Int

  mutating func updateOrDeferNext() throws -> Deferred<Self>? {
    switch step % 4 {
    case 0: step += 1
    case 1: return .unit { [following] in following }
    case 2: return ImmediateCount(step: step, goal: goal).next().map { Self(step: $0.step, goal: $0.goal) }
    default: return LaterCount(step: step, goal: goal).next().map { Self(step: $0.step, goal: $0.goal) }
    }
    return nil
  }
}

/// Doesn't implement any way to continue.
///
/// It stores a value because the compiler passes no valid address for an `inout` value without storage, and the thread
/// sanitizer reads that address.
struct UnwrittenProgression: Progression {
  let storage = 0
  var result: Int? { nil }
}

/// All ways to write a step.
let countings: [any Counting.Type] = [
  UpdatingCount.self, UnitCount.self, ImmediateCount.self, LaterCount.self, AdvancingCount.self, SuspendingCount.self,
  MixedCount.self,
]
