import Dispatch
import Foundation

extension Deferred {
  /// Returns a deferred of this result and another one, which is performed after this one.
  ///
  /// - Parameter other: The deferred that is performed second. It isn't performed if this one fails.
  /// - Returns: A deferred of both results; it fails with the first error.
  public func and<Other>(_ other: Deferred<Other>) -> Deferred<(Result, Other)> {
    chained { use, resolve in
      Trampoline.runWhereWanted {
        do {
          let first = try use()
          other.begin { use in resolve { (first, try use()) } }
        } catch {
          resolve { throw error }
        }
      }
    }
  }

  /// Returns a deferred of the results of closures that run concurrently on a queue, in the order of the closures.
  ///
  /// At most as many closures run at once as the machine has processors and the queue allows; a serial queue runs them
  /// one after the other. No thread is blocked to wait.
  ///
  /// - Parameters:
  ///   - subroutines: The closures that make the results; each runs once.
  ///   - queue: The queue on which the closures run.
  /// - Returns: A deferred of the results. If some closures throw, it fails after all have run, with the error of the
  ///   first of these in the order of the closures.
  public static func all<Item>(
    _ subroutines: [@Sendable () throws -> Item], on queue: DispatchQueue
  ) -> Deferred<[Item]> where Result == [Item] {
    .future { resolve in ConcurrentRun(subroutines, resolve: resolve).start(on: queue) }
  }
}

/// Runs closures in lanes, each of which runs one closure after the other.
private final class ConcurrentRun<Item>: @unchecked Sendable {
  // Invariant: mutable properties are used under the lock only.
  private let lock = NSLock()
  private let subroutines: [@Sendable () throws -> Item]
  private let resolve: Deferred<[Item]>.Resolve
  private var next = 0
  private var left: Int
  private var results: [Swift.Result<Item, any Error>?]

  init(_ subroutines: [@Sendable () throws -> Item], resolve: @escaping Deferred<[Item]>.Resolve) {
    self.subroutines = subroutines
    self.resolve = resolve
    left = subroutines.count
    results = Array(repeating: nil, count: subroutines.count)
  }

  func start(on queue: DispatchQueue) {
    guard !subroutines.isEmpty else { return resolve { [] } }
    for _ in 0..<min(subroutines.count, ProcessInfo.processInfo.activeProcessorCount) {
      queue.async { self.runLane() }
    }
  }

  private func runLane() {
    while let index = claim() {
      let result = Swift.Result { try subroutines[index]() }
      guard let all = settle(index, result) else { continue }
      resolve { try all.map { try $0.get() } }
    }
  }

  private func claim() -> Int? {
    lock.withLock {
      guard next < subroutines.count else { return nil }
      next += 1
      return next - 1
    }
  }

  /// Records a result; returns all results if it was the last.
  private func settle(_ index: Int, _ result: Swift.Result<Item, any Error>) -> [Swift.Result<Item, any Error>]? {
    lock.withLock {
      results[index] = result
      left -= 1
      return left == 0 ? results.compactMap(\.self) : nil
    }
  }
}
