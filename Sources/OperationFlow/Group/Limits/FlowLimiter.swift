/// Limits how much work runs at once, and how often work starts, across steps, flows and runs.
///
/// Give it to the steps and groups that it limits, with ``StepTrait/limited(by:)``; in a group it holds for each item.
/// ```swift
/// let uploads = FlowLimiter(atMost: 4, starts: 10, per: .seconds(1))
/// flow.forEach(.photos, width: 100, .limited(by: uploads)) { photo, _ in try await upload(photo) }
/// ```
/// One limiter can serve any number of steps, flows and runs at once, from any thread. Permits are given by priority, as with
/// ``StepTrait/priority(_:)``, and of the same priority in the order in which they are asked for. Waiting holds no thread.
/// With `atMost: 1` it is for exclusive use.
///
/// Work that has a permit must not wait for other work that needs one from the same limiter: it can wait forever.
public final class FlowLimiter: Sendable, CustomStringConvertible {
  struct State: ~Copyable, Sendable {
    var queue: PermitQueue
    /// Abandoned work that has not ended and keeps a permit each, such as `[upload #3] of Backup`.
    var keepers: [String] = []
    fileprivate var alarm: (time: Duration, task: Task<Void, Never>)?
  }

  let errors: [FlowError]
  /// A text such as `FlowLimiter(atMost: 4, starts: 10, per: 1.0 seconds)`.
  public let description: String
  /// How often work may start; `nil` if only what runs at once is limited.
  package let rate: PermitQueue.Rate?
  private let clock: any Clock<Duration>
  private let dates: RunDates
  /// Taken by runs under their own locks; nothing else is locked or called under it.
  let state: Locked<State>

  /// Creates a limiter of the work that runs at the same time.
  ///
  /// - Parameter count: How much may run at once, at least 1; with less, flows that use the limiter are refused.
  public convenience init(atMost count: Int) {
    self.init("FlowLimiter(atMost: \(count))", count, nil, ContinuousClock())
  }

  /// Creates a limiter of how often work starts, and of the work that runs at the same time.
  ///
  /// No window of time of this length contains more starts than that. The limiter reads its clock for a start just before
  /// the work is called, and no permit is given before the window of an earlier start is over. Only if the system suspends
  /// the thread between that reading and the call, it begins later than it counts. A flow that uses a limiter with a number
  /// below 1, or a period that isn't above zero, is refused.
  ///
  /// - Parameters:
  ///   - count: How much may run at once, at least 1.
  ///   - starts: How many starts a window may contain, at least 1.
  ///   - period: The length of the window.
  ///   - clock: What measures the time.
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

  /// Whether a permit comes with time that a driven clock can't let pass: the limiter measures it on another one.
  func waitsForTime(besides driven: (any DrivenClock)?) -> Bool {
    guard hasClock, (clock as? any DrivenClock).map({ $0 !== driven }) ?? true else { return false }
    return state.withLock { $0.alarm != nil }
  }

  /// The time on its clock, which is users' code and must not be read under a lock.
  var time: Duration { hasClock ? dates.elapsed : .zero }

  // MARK: Serving

  /// Gives the limiters' permits to those who wait; called outside of all locks, after anything about them has changed.
  ///
  /// A loop, because one who gets a permit may give it back immediately, and so may all the others.
  static func serve(_ limiters: [FlowLimiter]) {
    var waiting = limiters
    while let limiter = waiting.popLast() {
      for waiter in limiter.grant() { waiting += waiter.permitArrived() }
    }
  }

  /// Decides who gets a permit now, and makes sure that someone looks again when the next one is due.
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

  /// Detached, because it serves others than its creator; so it doesn't begin under the lock either.
  private func makeAlarm(at time: Duration) -> Task<Void, Never> {
    let ring: @Sendable () async -> Void = {
      guard (try? await self.clock.sleep(for: time - self.time)) != nil else { return }
      self.state.withLock { if $0.alarm?.time == time { $0.alarm = nil } }
      Self.serve([self])
    }
    guard let driven = clock as? any DrivenClock else { return Task.detached(operation: ring) }
    // Such a clock performs it, so that its time doesn't pass the alarm before that has begun to wait; it is no one's work.
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
