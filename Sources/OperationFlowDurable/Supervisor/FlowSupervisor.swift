import Foundation
import OperationFlow
import OperationFlowStorage

/// Resumes the unfinished runs of a store, and wakes those that wait when they are due or have been sent a signal.
///
/// ```swift
/// let supervisor = FlowSupervisor(FileFlowStore(folder: folder), flows: [flow])
/// try await supervisor.run()  // until its task is cancelled
/// ```
/// A run that does nothing but wait is put away: its journal is closed, and of the run nothing stays in memory but its
/// identifier and a date. One process at a time can supervise a store; others can run flows in it, and send signals. You can
/// call every member from any thread.
public final class FlowSupervisor: Sendable {
  /// How a supervisor stands.
  public struct Status: Sendable {
    /// How many runs are under way in memory.
    public let runningCount: Int
    /// How many runs have been put away until they are due or are sent a signal.
    public let waitingCount: Int
    /// The runs that can't go on, in the order of their identifiers: each has its ``FlowUnfinishedRun/error``.
    ///
    /// The supervisor looks at each again after a second, and after twice the time with each failure, up to five minutes.
    public let leftRuns: [FlowUnfinishedRun]
    /// Why the store couldn't be read or written, or an ended run not be removed, and when the supervisor tries again;
    /// `nil` if all is well.
    public let storeTrouble: StoreTrouble?
    /// How many runs it has begun or resumed, and seen end.
    public let counts: Counts
  }

  /// Why a supervisor can't use its store at present.
  public struct StoreTrouble: Sendable {
    /// The error of the store.
    public let error: FlowError
    /// The date of the next attempt, by the supervisor's clock.
    public let nextLook: Date
  }

  let store: any FlowStore
  let flows: [Flow]
  let data: [String: any Sendable]
  let durability: FlowDurability
  let sealing: FlowSealing?
  let omitting: Set<String>
  let dates: RunDates
  let whenEnded: @Sendable (String, FlowOutcome) -> Void
  let state: Locked<SupervisorState>
  private let clock: any Clock<Duration>
  /// Wakes the supervisor; one stream for each time that it runs.
  private let waker = Locked<AsyncStream<Void>.Continuation?>(nil)

  /// Creates a supervisor; nothing is read before ``run()``.
  ///
  /// - Parameters:
  ///   - store: Where the runs are kept.
  ///   - flows: The flows whose runs it resumes, each with a name of its own.
  ///   - count: How many runs are resumed and woken at once; a run that you begin starts at once in any case.
  ///   - data: Values that every run is given when it is resumed, such as those that its journal doesn't store.
  ///   - durability: The part of the results that survives a power failure.
  ///   - sealing: Encrypts and decrypts sensitive values.
  ///   - omitting: The names of values that the journals don't store.
  ///   - retention: How long the runs of its flows stay in the store once they have ended and `whenEnded` has returned; for
  ///     ever unless another time is given. They are looked for once a minute, or less often if they stay for long, at least
  ///     once an hour.
  ///   - clock: What the dates of waiting runs are compared with; the flows should have the same.
  ///   - whenEnded: Called when a run has ended, with its identifier and its outcome, on any thread. If the process ends
  ///     before it has returned, the next supervisor of the store calls it again.
  public init(
    _ store: any FlowStore, flows: [Flow], atMost count: Int = 64, with data: [String: any Sendable] = [:],
    durability: FlowDurability = .grouped(), sealing: FlowSealing? = nil, omitting: Set<String> = [],
    removingEnded retention: FlowRetention = .never, clock: any Clock<Duration> = ContinuousClock(),
    whenEnded: @escaping @Sendable (String, FlowOutcome) -> Void = { _, _ in }
  ) {
    (self.store, self.flows, self.data, self.sealing, self.clock) = (store, flows, data, sealing, clock)
    (self.durability, self.omitting, self.whenEnded) = (durability, omitting, whenEnded)
    dates = RunDates(by: clock)
    state = Locked(SupervisorState(limit: max(1, count), removingEnded: retention))
  }

  /// How many runs are under way, wait, or are left alone, and why.
  public var status: Status {
    state.withLock { state in
      Status(
        runningCount: state.running.count, waitingCount: state.resting.count, leftRuns: state.leftRuns,
        storeTrouble: (state.contact.trouble ?? state.removal.trouble).map {
          StoreTrouble(error: $0.error, nextLook: $0.nextLook)
        }, counts: state.counts)
    }
  }

  /// How often it has looked at the store and at its runs, since it began.
  var roundCount: Int { state.withLock { $0.contact.rounds } }

  // MARK: Running

  /// Resumes all unfinished runs of its flows, and looks after the store until the task is cancelled.
  ///
  /// When the task is cancelled, nothing more begins: what is at work is cancelled and left to be resumed, and this
  /// returns when all of it has settled. Nothing is undone, because no run has ended. If the store can't be read for a
  /// while, that is in ``Status/storeTrouble``, and the supervisor tries again.
  ///
  /// - Throws: `FlowError` with the code `runInUse` if the store has another supervisor; `unknownFlow` if two flows have the
  ///   same name; the store's error if it can't be opened.
  public func run() async throws {
    try checkNames()
    guard state.withLock({ $0.start() }) else {
      throw FlowError.secondSupervisor(.runInUse(Mailbox.supervisor, by: "this supervisor"))
    }
    let (wakes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    waker.withLock { $0 = continuation }
    let store = store
    do {
      let book = try await FileWork.perform { try SupervisorBook(in: store) }
      defer { book.close() }
      continuation.yield()
      await withTaskCancellationHandler {
        await supervise(book, wakes, continuation)
      } onCancel: {
        continuation.finish()
      }
      await putAllAway()
      await close(book)
      state.withLock { $0.stop(because: nil) }
    } catch {
      var failure = FlowError.storeError(error)
      if failure.code == .runInUse { failure = .secondSupervisor(failure) }
      await putAllAway()
      state.withLock { [failure] in $0.stop(because: failure) }
      throw failure
    }
  }

  private func supervise(
    _ book: SupervisorBook, _ wakes: AsyncStream<Void>, _ continuation: AsyncStream<Void>.Continuation
  ) async {
    state.withLock { [now = dates.now.date] in $0.begin(book.found, at: now) }
    let ticker = Task {
      // By the system's time: what other processes do is on no other clock.
      while (try? await Task.sleep(for: .milliseconds(250))) != nil { continuation.yield() }
    }
    let alarm = SupervisorAlarm(clock) { continuation.yield() }
    defer {
      ticker.cancel()
      alarm.cancel()
    }
    for await _ in wakes {
      if Task.isCancelled { break }
      await look(book)
      await wake(book, alarm)
    }
  }

  func wakeUp() { _ = waker.withLock { $0 }?.yield() }

  private func checkNames() throws {
    var names: Set<String> = []
    for flow in flows where !names.insert(flow.name).inserted { throw FlowError.sameNames(flow.name) }
  }

  /// Begins a run of one of its flows, or goes on with one, and returns once the run's beginning is in its journal.
  ///
  /// Call it while ``run()`` is under way, or is about to be: only that puts the run away and wakes it. Values that the
  /// journal doesn't store keep the run in memory while it waits. A run that has ended isn't begun again; its end is
  /// reported if it never was.
  ///
  /// - Parameters:
  ///   - id: What identifies the run in the store.
  ///   - flowName: The name of its flow.
  ///   - data: Values that the run's bucket starts with.
  /// - Throws: `FlowError` with the code `unknownFlow` if the supervisor has no such flow, `runInUse` if the run is under way,
  ///   `notSupervising` if ``run()`` is stopping, or has returned or thrown, `changedFlow` if the run was begun by another
  ///   flow, or the store's error.
  public func begin(_ id: String, of flowName: String, with data: [String: any Sendable] = [:]) async throws {
    guard let flow = flows.firstIndex(where: { $0.name == flowName }) else {
      throw FlowError.unknownFlow(flowName)
    }
    try state.withLock { try $0.begin(id) }
    do {
      switch try await open(id, flow, data) {
      case .ended: state.withLock { $0.reportLater(id) }?.resume()
      case .underWay(let run, let journal):
        // The beginning is all that the journal of a new run has.
        let (store, names) = (store, flows.map(\.name))
        let found = try? await FileWork.perform { FoundRun(id, in: store, names) }
        carry(id, flow, SupervisedRun(run, journal, begun: found?.beginning?.date, values(flow, given: data)))
      }
      wakeUp()
    } catch {
      state.withLock { $0.giveUp(id) }?.resume()
      // It may be one that is to be gone on with.
      wakeUp()
      throw error
    }
  }
}
