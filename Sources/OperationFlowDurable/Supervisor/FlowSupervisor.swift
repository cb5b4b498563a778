import Foundation
import OperationFlow
import OperationFlowStorage

/// Resumes the unfinished runs of a store, and wakes those that wait when they are due or have been sent a signal.
///
/// ```swift
/// let supervisor = FlowSupervisor(FileFlowStore(folder: folder), flows: [flow])
/// try await supervisor.run()  // until its task is cancelled
/// ```
/// A run that does nothing but wait is suspended: its journal is closed, and only its identifier and a date stay in
/// memory. One process at a time can supervise a store; others can run flows in it, and send signals. You can call
/// every member from any thread.
public final class FlowSupervisor: Sendable {
  /// The state of a supervisor and its runs.
  public struct Status: Sendable {
    /// The number of runs that are under way in memory.
    public let runningCount: Int
    /// The number of runs that are suspended until they are due or are sent a signal.
    public let waitingCount: Int
    /// The runs that can't continue, in the order of their identifiers: each has its ``FlowUnfinishedRun/error``.
    ///
    /// The supervisor looks at each again after a second, and after twice the time with each failure, up to five
    /// minutes.
    public let leftRuns: [FlowUnfinishedRun]
    /// The reason why the store couldn't be used, or an ended run not be removed, with the date of the next attempt;
    /// `nil` if all is well.
    public let storeTrouble: StoreTrouble?
    /// The numbers of runs that the supervisor has begun or resumed, and of those that it has seen end.
    public let counts: Counts
  }

  /// The reason why a supervisor can't use its store at present.
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
  ///   - store: The store that contains the runs.
  ///   - flows: The flows whose runs the supervisor resumes, each with a name of its own.
  ///   - count: The number of runs that are resumed and woken at once; a run that you begin starts immediately in any
  ///     case.
  ///   - data: Values that every run is given when it is resumed, such as those that its journal doesn't store.
  ///   - durability: The part of the results that survives a power failure.
  ///   - sealing: Encrypts and decrypts sensitive values.
  ///   - omitting: The names of values that the journals don't store.
  ///   - retention: The time for which the runs of its flows stay in the store once they have ended and `whenEnded` has
  ///     returned; for ever unless another time is given. The supervisor looks for such runs once a minute, or less
  ///     often if they stay for long, at least once an hour.
  ///   - clock: The clock for the dates of waiting runs; the flows should have the same.
  ///   - whenEnded: A function that is called when a run has ended, with its identifier and its outcome, on any thread.
  ///     If the process ends before the function has returned, the next supervisor of the store calls it again.
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

  /// The numbers of runs that are under way or wait, the runs that can't continue, and the trouble of the store.
  public var status: Status {
    state.withLock { state in
      Status(
        runningCount: state.running.count, waitingCount: state.resting.count, leftRuns: state.leftRuns,
        storeTrouble: (state.contact.trouble ?? state.removal.trouble).map {
          StoreTrouble(error: $0.error, nextLook: $0.nextLook)
        }, counts: state.counts)
    }
  }

  /// The number of looks at the store and at its runs, since the supervisor began.
  var roundCount: Int { state.withLock { $0.contact.rounds } }

  // MARK: Running

  /// Resumes all unfinished runs of its flows, and supervises the store until the task is cancelled.
  ///
  /// When the task is cancelled, nothing more begins. Work in progress is cancelled and left to be resumed, and the
  /// call returns when all of it has settled. Nothing is undone, because no run has ended. If the store can't be read
  /// for a while, ``Status/storeTrouble`` has the error, and the supervisor tries again.
  ///
  /// - Throws: `FlowError` with the code `runInUse` if the store has another supervisor; `unknownFlow` if two flows
  ///   have the same name; the store's error if it can't be opened.
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
      // By the system's time, because other processes don't follow the supervisor's clock.
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

  /// Begins or resumes a run of one of its flows, and returns once the run's beginning is in its journal.
  ///
  /// Call it while ``run()`` is under way, or is about to be: only ``run()`` suspends the run and wakes it. A run stays
  /// in memory while it waits if it has values that its journal doesn't store. A run that has ended isn't begun again;
  /// its end is reported if it never was.
  ///
  /// - Parameters:
  ///   - id: The identifier of the run in the store.
  ///   - flowName: The name of its flow.
  ///   - data: Values that the run's bucket starts with.
  /// - Throws: `FlowError` with the code `unknownFlow` if the supervisor has no such flow, `runInUse` if the run is
  ///   under way, `notSupervising` if ``run()`` is stopping, or has returned or thrown, `changedFlow` if the run was
  ///   begun by another flow, or the store's error.
  public func begin(_ id: String, of flowName: String, with data: [String: any Sendable] = [:]) async throws {
    guard let flow = flows.firstIndex(where: { $0.name == flowName }) else {
      throw FlowError.unknownFlow(flowName)
    }
    try state.withLock { try $0.begin(id) }
    do {
      switch try await open(id, flow, data) {
      case .ended: state.withLock { $0.reportLater(id) }?.resume()
      case .underWay(let run, let journal):
        // The journal of a new run has nothing but the beginning.
        let (store, names) = (store, flows.map(\.name))
        let found = try? await FileWork.perform { FoundRun(id, in: store, names) }
        carry(id, flow, SupervisedRun(run, journal, begun: found?.beginning?.date, values(flow, given: data)))
      }
      wakeUp()
    } catch {
      state.withLock { $0.giveUp(id) }?.resume()
      // The supervisor may have to resume the run.
      wakeUp()
      throw error
    }
  }
}
