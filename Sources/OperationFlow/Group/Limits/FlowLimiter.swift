/// Limits how much work runs at once, and how often work starts, across steps, flows and runs.
///
/// Pass it to the steps and groups that it limits, with ``StepTrait/limited(by:)``; a group acquires a permit for each
/// item.
/// ```swift
/// let uploads = FlowLimiter(atMost: 4, starts: 10, per: .seconds(1))
/// flow.forEach(.photos, width: 100, .limited(by: uploads)) { photo, _ in try await upload(photo) }
/// ```
/// One limiter can serve any number of steps, flows and runs at once, from any thread. Permits are granted by priority,
/// as with ``StepTrait/priority(_:)``, and within a priority in the order of the requests. Waiting blocks no thread. A
/// limiter with `atMost: 1` gives exclusive access.
///
/// Work that has a permit must not wait for other work that needs one from the same limiter: it could wait forever.
public final class FlowLimiter: Sendable, CustomStringConvertible {
  struct State: ~Copyable, Sendable {
    var queue: PermitQueue
    /// The names of abandoned work that still runs, and so still has a permit, such as `[upload #3] of Backup`.
    var keepers: [String] = []
    fileprivate var alarm: (time: Duration, task: Task<Void, Never>)?
  }

  let errors: [FlowError]
  /// A text such as `FlowLimiter(atMost: 4, starts: 10, per: 1.0 seconds)`.
  public let description: String
  /// The limit of starts within a time; `nil` if only the work that runs at once is limited.
  package let rate: PermitQueue.Rate?
  private let clock: any Clock<Duration>
  private let dates: RunDates
  /// The lock is acquired by runs under their own locks; nothing else is locked or called under it.
  let state: Locked<State>

  /// Creates a limiter of the work that runs at the same time.
  ///
  /// - Parameter count: The number of pieces of work that may run at once. Flows are refused if it is below 1.
  public convenience init(atMost count: Int) {
    self.init("FlowLimiter(atMost: \(count))", count, nil, ContinuousClock())
  }

  /// Creates a limiter of how often work starts, and of the work that runs at the same time.
  ///
  /// No window of time of this length contains more starts than `starts`. The limiter reads its clock for a start just
  /// before it calls the work, and grants no permit before the window of an earlier start is over. The work begins
  /// later than its counted start only if the system suspends the thread between that reading and the call. A flow is
  /// refused if its limiter has a number below 1, or a period that isn't above zero.
  ///
  /// - Parameters:
  ///   - count: The number of pieces of work that may run at once, at least 1.
  ///   - starts: The number of starts that a window may contain, at least 1.
  ///   - period: The length of the window.
  ///   - clock: The clock that measures the time.
  public convenience init(
    atMost count: Int = .max, starts: Int, per period: Duration, clock: any Clock<Duration> = ContinuousClock()
  ) {
    let atMost = count == .max ? "" : "atMost: \(count), "
    self.init(
      "FlowLimiter(\(atMost)starts: \(starts), per: \(DurationText.exact(period)))", count,
      PermitQueue.Rate(starts: starts, period: period), clock)
  }

  private init(_ description: String, _ count: Int, _ rate: PermitQueue.Rate?, _ clock: any Clock<Duration>) {
    self.description = description
    self.rate = rate
    self.clock = clock
    dates = RunDates(by: clock)
    errors = Self.errors(count, rate)
    state = Locked(State(queue: PermitQueue(limit: count, rate: rate)))
  }

  package var waitingCount: Int { state.withLock { $0.queue.waitingCount } }
  var hasClock: Bool { rate != nil }

  /// Returns true if the next permit needs time to pass on a clock other than `driven`, which then can't advance it.
  func waitsForTime(besides driven: (any DrivenClock)?) -> Bool {
    guard hasClock, (clock as? any DrivenClock).map({ $0 !== driven }) ?? true else { return false }
    return state.withLock { $0.alarm != nil }
  }

  /// The time on the limiter's clock, which is a user's code and must not be called under a lock.
  var time: Duration { hasClock ? dates.elapsed : .zero }

  // MARK: Serving

  /// Grants the limiters' permits to waiters; called outside of all locks, after a change to any of the limiters.
  ///
  /// It loops, because a waiter may release its permit immediately, and so may the next ones.
  static func serve(_ limiters: [FlowLimiter]) {
    var waiting = limiters
    while let limiter = waiting.popLast() {
      for waiter in limiter.grant() { waiting += waiter.permitArrived() }
    }
  }

  /// Chooses the waiters that get a permit now, and sets an alarm for the time when the next one is due.
  private func grant() -> [any PermitWaiter] {
    let now = time
    let (granted, unneeded) = state.withLock { state -> ([any PermitWaiter], Task<Void, Never>?) in
      let granted = state.queue.grant(at: now)
      guard let next = state.queue.nextGrant else { return (granted, state.alarm.take()?.task) }
      if let alarm = state.alarm, alarm.time <= next { return (granted, nil) }
      let time = min(next, now + .longest)
      defer { state.alarm = (time, makeAlarm(at: time)) }
      return (granted, state.alarm?.task)
    }
    unneeded?.cancel()
    return granted
  }

  /// Makes a task that serves the limiter at this time.
  ///
  /// The task is detached, because it serves others than its creator, and doesn't begin under the creator's lock.
  private func makeAlarm(at time: Duration) -> Task<Void, Never> {
    let ring: @Sendable () async -> Void = {
      guard (try? await self.clock.sleep(for: time - self.time)) != nil else { return }
      self.state.withLock { if $0.alarm?.time == time { $0.alarm = nil } }
      Self.serve([self])
    }
    guard let driven = clock as? any DrivenClock else { return Task.detached(operation: ring) }
    // A driven clock starts the task itself, so that it doesn't advance past the alarm before the task waits for it.
    return DrivenWork.$current.withValue(nil) { driven.startTask(ring) }
  }

  private static func errors(_ count: Int, _ rate: PermitQueue.Rate?) -> [FlowError] {
    var errors: [FlowError] = []
    func add(_ problem: String, remedy: String) { errors.append(FlowError(.invalidLimit, problem, remedy: remedy)) }
    if count < 1 { add("the limiter lets \(count) run at once", remedy: "Give it atMost: with 1 or more.") }
    guard let rate else { return errors }
    if rate.starts < 1 {
      add("the limiter lets \(rate.starts) start in its period", remedy: "Give it starts: with 1 or more.")
    }
    if rate.period <= .zero {
      add("the limiter's period is \(rate.period)", remedy: "Give it per: with a time above zero, such as .seconds(1).")
    }
    return errors
  }
}
