import Foundation
import OperationFlow

/// Runs progressions concurrently, at most a given number at once, in the order in which they were added.
///
/// It runs everything that was added even if nothing holds the line any longer. You can use it from any thread.
public final class ProductionLine<InnerProgression: Progression>: @unchecked Sendable {
  // Invariant: `state` is used under the lock only.
  private struct Item {
    let stage: InnerProgression
    let progress: @Sendable (InnerProgression) -> Bool
    let handle: (@escaping Deferred<InnerProgression.Result>.UseResult) -> Void
  }

  private struct State {
    var pending = Fifo<Item>()
    var activeCount = 0
    var suspensions = 0
  }

  private let maxCount: Int
  private let performer: AsyncPerformer
  private let lock = NSLock()
  private var state = State()

  /// Creates a line with nothing to do.
  ///
  /// - Parameters:
  ///   - maxCount: How many run at once; values below 1 count as 1.
  ///   - performer: Performs each step.
  @preconcurrency
  public init(maxCount: Int, performer: @escaping AsyncPerformer) {
    self.maxCount = max(maxCount, 1)
    self.performer = performer
  }

  /// The number of progressions that are running.
  public var activeCount: Int { lock.withLock { state.activeCount } }

  /// The number of progressions that wait for their turn.
  public var pendingCount: Int { lock.withLock { state.pending.count } }

  // MARK: Adding

  /// Adds progressions, and discards their results.
  ///
  /// - Parameter progressions: Run in this order, each as soon as there is room.
  public func add(_ progressions: [InnerProgression]) {
    add(items: progressions.map { Item(stage: $0, progress: { _ in true }, handle: { _ in }) })
  }

  /// Adds a progression, and discards its result.
  ///
  /// - Parameter progression: Run as soon as there is room.
  public func add(_ progression: InnerProgression) { add([progression]) }

  /// Adds a progression, and hands over its result.
  ///
  /// - Parameters:
  ///   - progression: Run as soon as there is room.
  ///   - handleResult: Called once with a closure that returns the result or throws; the progression counts as running
  ///     until this has returned. If `clearPending()` removes the progression, the closure throws a `FlowError` with
  ///     the code `cancelled`.
  public func add(
    _ progression: InnerProgression,
    handleResult: @escaping @Sendable (@escaping @Sendable () throws -> InnerProgression.Result) -> Void
  ) {
    let item = Item(stage: progression, progress: { _ in true }) { use in
      let use = Transfer(use)
      handleResult { try use.value() }
    }
    add(items: [item])
  }

  /// Runs a progression as soon as there is room, and returns its result.
  ///
  /// Cancelling the task ends the progression between two steps, or before it starts.
  ///
  /// - Parameter progression: Run as soon as there is room.
  /// - Returns: The result.
  /// - Throws: The error that a step threw, or a `FlowError` with the code `cancelled`.
  public func run(_ progression: InnerProgression) async throws -> InnerProgression.Result {
    let isCancelled = Locked(false)
    return try await withTaskCancellationHandler {
      let use: Transfer<Deferred<InnerProgression.Result>.UseResult> = await withCheckedContinuation { continuation in
        let item = Item(stage: progression, progress: { _ in !isCancelled.withLock { $0 } }) { use in
          continuation.resume(returning: Transfer(use))
        }
        add(items: [item])
        // It may have been cancelled before it was in the line.
        if isCancelled.withLock({ $0 }) { endCancelled() }
      }
      do { return try use.value() } catch let error as FlowError where error.code == .cancelled {
        throw isCancelled.withLock { $0 } ? FlowError.stoppedWithTask : error
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
      endCancelled()
    }
  }

  /// Takes out what has been cancelled before it could start, so that it doesn't wait for its turn.
  private func endCancelled() {
    let cancelled = lock.withLock {
      let items = state.pending.elements
      var cancelled: [Item] = []
      state.pending = Fifo()
      // Each is asked once, for it may be cancelled at any time.
      for item in items {
        if item.progress(item.stage) { state.pending.append(item) } else { cancelled.append(item) }
      }
      return cancelled
    }
    for item in cancelled { item.handle { throw FlowError.stoppedByProgress } }
  }

  // MARK: Control

  /// Removes all progressions that have not started.
  public func clearPending() {
    let cleared = lock.withLock {
      defer { state.pending = Fifo() }
      return state.pending
    }
    for item in cleared.elements { item.handle { throw FlowError.clearedFromLine } }
  }

  /// Stops starting progressions until `resume()` is called as often as this; running ones continue.
  public func suspend() { lock.withLock { state.suspensions += 1 } }

  /// Starts progressions again, once it has been called as often as `suspend()`; extra calls do nothing.
  public func resume() {
    lock.withLock { state.suspensions = max(state.suspensions - 1, 0) }
    startAll()
  }

  // MARK: Running

  private func add(items: [Item]) {
    lock.withLock {
      for item in items { state.pending.append(item) }
    }
    startAll()
  }

  /// Starts as many as there is room for.
  private func startAll() {
    // One at a time: if one ends immediately, the next in the line starts, not one after it.
    while let item = claim() { Trampoline.run { self.start(item) } }
  }

  /// Returns the next progression, if it may start now.
  private func claim() -> Item? {
    lock.withLock {
      guard state.suspensions == 0, state.activeCount < maxCount else { return nil }
      guard let item = state.pending.popFirst() else { return nil }
      state.activeCount += 1
      return item
    }
  }

  private func start(_ item: Item) {
    item.stage.deferred(performer: performer, progress: item.progress).begin { use in
      item.handle(use)
      self.lock.withLock { self.state.activeCount -= 1 }
      // Left to the thread's loop, so that progressions that end immediately do not nest.
      if let next = self.claim() { Trampoline.enter(wanting: nil) { self.start(next) } }
    }
  }
}
