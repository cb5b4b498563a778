import Foundation
import OperationFlow

/// Runs progressions concurrently, at most a given number at once, in the order in which they were added.
///
/// The line runs all progressions that were added even after it is released. You can use it from any thread.
public final class ProductionLine<InnerProgression: Progression>: @unchecked Sendable {
  // Invariant: `state` is used under the lock only.
  private struct Item {
    let stage: InnerProgression
    let progress: @Sendable (InnerProgression) -> Bool
    let handle: (@escaping Deferred<InnerProgression.Result>.UseResult) -> Void
  }

  private struct State {
    /// The waiting items by their places in the line; a cancelled item is removed before its turn.
    private var pending = [Int: Item]()
    private var (firstPlace, nextPlace) = (0, 0)
    var activeCount = 0
    var suspensions = 0

    var pendingCount: Int { pending.count }

    /// Adds an item, and returns its place.
    mutating func append(_ item: Item) -> Int {
      defer { nextPlace += 1 }
      pending[nextPlace] = item
      return nextPlace
    }

    mutating func popFirst() -> Item? {
      while !pending.isEmpty {
        defer { firstPlace += 1 }
        if let item = pending.removeValue(forKey: firstPlace) { return item }
      }
      firstPlace = nextPlace
      return nil
    }

    /// Removes an item from the line; `nil` if it isn't there any more.
    mutating func remove(at place: Int) -> Item? { pending.removeValue(forKey: place) }
  }

  private let maxCount: Int
  private let performer: AsyncPerformer
  private let lock = NSLock()
  private var state = State()

  /// Creates an empty line.
  ///
  /// - Parameters:
  ///   - maxCount: The number of progressions that run at once; values below 1 count as 1.
  ///   - performer: The performer of each step.
  @preconcurrency
  public init(maxCount: Int, performer: @escaping AsyncPerformer) {
    self.maxCount = max(maxCount, 1)
    self.performer = performer
  }

  /// The number of progressions that are running.
  public var activeCount: Int { lock.withLock { state.activeCount } }

  /// The number of progressions that wait for their turn.
  public var pendingCount: Int { lock.withLock { state.pendingCount } }

  // MARK: Adding

  /// Adds progressions, and discards their results.
  ///
  /// - Parameter progressions: The progressions, which run in this order, each as soon as there is room.
  public func add(_ progressions: [InnerProgression]) {
    lock.withLock {
      for stage in progressions { _ = state.append(Item(stage: stage, progress: { _ in true }, handle: { _ in })) }
    }
    startAll()
  }

  /// Adds a progression, and discards its result.
  ///
  /// - Parameter progression: The progression, which runs as soon as there is room.
  public func add(_ progression: InnerProgression) { add([progression]) }

  /// Adds a progression, and delivers its result.
  ///
  /// - Parameters:
  ///   - progression: The progression, which runs as soon as there is room.
  ///   - handleResult: A closure that is called once with a closure that returns the result or throws. The progression
  ///     counts as running until `handleResult` has returned. If `clearPending()` removes the progression, the closure
  ///     throws a `FlowError` with the code `cancelled`.
  public func add(
    _ progression: InnerProgression,
    handleResult: @escaping @Sendable (@escaping @Sendable () throws -> InnerProgression.Result) -> Void
  ) {
    let item = Item(stage: progression, progress: { _ in true }) { use in
      let use = Transfer(use)
      handleResult { try use.value() }
    }
    add(item: item)
  }

  /// Runs a progression as soon as there is room, and returns its result.
  ///
  /// Cancelling the task ends the progression between two steps, or before it starts.
  ///
  /// - Parameter progression: The progression, which runs as soon as there is room.
  /// - Returns: The result.
  /// - Throws: The error that a step threw, or a `FlowError` with the code `cancelled`.
  public func run(_ progression: InnerProgression) async throws -> InnerProgression.Result {
    let cancellation = Locked((isCancelled: false, place: Int?.none))
    return try await withTaskCancellationHandler {
      let use: Transfer<Deferred<InnerProgression.Result>.UseResult> = await withCheckedContinuation { continuation in
        let item = Item(stage: progression, progress: { _ in !cancellation.withLock { $0.isCancelled } }) { use in
          continuation.resume(returning: Transfer(use))
        }
        let place = add(item: item)
        let isCancelled = cancellation.withLock { cancellation in
          cancellation.place = place
          return cancellation.isCancelled
        }
        // The task may have been cancelled before the item was in the line.
        if isCancelled { endCancelled(at: place) }
      }
      do { return try use.value() } catch let error as FlowError where error.code == .cancelled {
        throw cancellation.withLock { $0.isCancelled } ? FlowError.stoppedWithTask : error
      }
    } onCancel: {
      let place = cancellation.withLock { cancellation in
        cancellation.isCancelled = true
        return cancellation.place
      }
      if let place { endCancelled(at: place) }
    }
  }

  /// Removes a cancelled item that hasn't started, so that it doesn't wait for its turn.
  private func endCancelled(at place: Int) {
    let item = lock.withLock { state.remove(at: place) }
    item?.handle { throw FlowError.stoppedByProgress }
  }

  // MARK: Control

  /// Removes all progressions that have not started.
  public func clearPending() {
    let cleared = lock.withLock {
      var cleared: [Item] = []
      while let item = state.popFirst() { cleared.append(item) }
      return cleared
    }
    for item in cleared { item.handle { throw FlowError.clearedFromLine } }
  }

  /// Stops starting progressions until `resume()` has been called once for each call of this; running ones continue.
  public func suspend() { lock.withLock { state.suspensions += 1 } }

  /// Starts progressions again, after as many calls as there were of `suspend()`; extra calls do nothing.
  public func resume() {
    lock.withLock { state.suspensions = max(state.suspensions - 1, 0) }
    startAll()
  }

  // MARK: Running

  /// Adds an item, and returns its place.
  @discardableResult
  private func add(item: Item) -> Int {
    let place = lock.withLock { state.append(item) }
    startAll()
    return place
  }

  /// Starts as many progressions as there is room for.
  private func startAll() {
    // One at a time: if one ends immediately, the next in the line starts, not one after it.
    while let item = claim() { Trampoline.run { self.start(item) } }
  }

  /// Returns the next progression, if it may start now.
  private func claim() -> Item? {
    lock.withLock {
      guard state.suspensions == 0, state.activeCount < maxCount else { return nil }
      guard let item = state.popFirst() else { return nil }
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
