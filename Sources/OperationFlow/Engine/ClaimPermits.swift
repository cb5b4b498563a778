/// What a claim has of the permits that it needs, and what waits for them in its place.
final class ClaimPermits: PermitWaiter, @unchecked Sendable {
  // Invariant: the variables are read and written only under the lock of the claim's run.
  private enum Stage {
    /// It has some of them, and asks for the next one.
    case asking
    case waiting(place: Int)
    /// It has all, and a lane is about to begin.
    case ready
    /// A lane begins, and its work will be called: a start that is still to come, at a time that isn't known.
    case starting
    case begun
    /// Its work was abandoned, and has them until it has really ended.
    case kept(String, hasBegun: Bool)
  }

  private let engine: RunEngine
  let ticket: WorkTicket
  private let limiters: [FlowLimiter]
  private let precedence: Int
  private var stage = Stage.asking
  private var heldCount = 0
  /// True if it has had all of them; it may have given them back since, to wait for something else.
  private var hadAll = false
  /// The times for which its work's beginning counts.
  private var beginnings: [Duration] = []

  init(_ engine: RunEngine, _ ticket: WorkTicket, _ limiters: [FlowLimiter], precedence: Int) {
    self.engine = engine
    self.ticket = ticket
    self.limiters = limiters
    self.precedence = precedence
  }

  /// The times on the limiters' clocks, which must not be read under a lock; empty if none has a clock.
  var times: [Duration] { limiters.contains(where: \.hasClock) ? limiters.map(\.time) : [] }

  func permitArrived() -> [FlowLimiter] { engine.permitArrived(for: self) }

  var isReady: Bool { if case .ready = stage { true } else { false } }

  var awaited: FlowLimiter? { if case .waiting = stage { limiters[heldCount] } else { nil } }

  /// Acquires the permits that are missing; returns the limiter that it has to wait for, if there is one.
  func acquire(at times: [Duration]) -> FlowLimiter? {
    switch stage {
    case .starting, .begun: return nil
    case .asking, .waiting, .ready, .kept: break
    }
    while heldCount < limiters.count {
      let time = times.isEmpty ? .zero : times[heldCount]
      if let place = limiters[heldCount].takeOrWait(at: time, self, precedence: precedence) {
        stage = .waiting(place: place)
        return limiters[heldCount]
      }
      heldCount += 1
    }
    stage = .ready
    return nil
  }

  /// It has been given the permit that it waits for; false if it doesn't wait.
  func accept() -> Bool {
    guard case .waiting = stage else { return false }
    heldCount += 1
    stage = .asking
    return true
  }

  /// A lane is about to call its work, if it has all of its permits; true if it has them for the first time.
  func prepare() -> Bool {
    guard case .ready = stage else { return false }
    defer { hadAll = true }
    stage = .starting
    return !hadAll
  }

  /// Its work is called now, which is what the limiters count; returns those that are to be served.
  func begin(at times: [Duration]) -> [FlowLimiter] {
    switch stage {
    case .starting: stage = .begun
    case .kept(let keeper, hasBegun: false): stage = .kept(keeper, hasBegun: true)
    case .asking, .waiting, .ready, .begun, .kept: return []
    }
    beginnings = times
    return times.indices.filter { limiters[$0].begin(at: &beginnings[$0]) }.map { limiters[$0] }
  }

  /// What was called is only about to call its work, so that the start of the limiters is still to come.
  func beginsLater() {
    switch stage {
    case .begun: stage = .starting
    case .kept(let keeper, hasBegun: true): stage = .kept(keeper, hasBegun: false)
    case .asking, .waiting, .ready, .starting, .kept: return
    }
    for (limiter, time) in zip(limiters, beginnings) { limiter.takeBackBeginning(at: time) }
  }

  /// It gives back all that it has, waits no longer, and may ask again; returns the limiters that are to be served.
  func giveBack() -> [FlowLimiter] {
    var served: [FlowLimiter] = []
    if case .waiting(let place) = stage, limiters[heldCount].leave(place) { served.append(limiters[heldCount]) }
    let isBegun = if case .begun = stage { true } else { false }
    for limiter in limiters.prefix(heldCount) where limiter.giveBack(hasBegun: isBegun) { served.append(limiter) }
    stage = .asking
    heldCount = 0
    return served
  }

  /// Its work was abandoned: if that was called, it keeps the permits until `endKept()`.
  func retain(for keeper: String) -> Bool {
    switch stage {
    case .starting: stage = .kept(keeper, hasBegun: false)
    case .begun: stage = .kept(keeper, hasBegun: true)
    case .asking, .waiting, .ready, .kept: return false
    }
    for limiter in limiters { limiter.addKeeper(keeper) }
    return true
  }

  /// Abandoned work has ended; returns the limiters that are to be served.
  func endKept() -> [FlowLimiter] {
    guard case .kept(let keeper, let hasBegun) = stage else { return [] }
    stage = .asking
    return limiters.filter { $0.giveBack(from: keeper, hasBegun: hasBegun) }
  }
}

// Limited work takes its permits at a gate, before it is recorded as started. Its limiters count it when it is called.
extension RunEngine {
  /// The work of a step is called now, which is what its limiters count.
  func workBegins(_ ticket: WorkTicket, _ source: FlowEvent.Source) {
    if blueprint.isLimited(Int(source.step)) { countBeginning(ticket) }
  }

  /// The times are read last, so that hardly anything comes between them and the work.
  private func countBeginning(_ ticket: WorkTicket) {
    guard let permits = permits(of: ticket) else { return }
    let times = permits.times
    FlowLimiter.serve(state.withLock { _ in permits.begin(at: times) })
  }

  /// What was called only leads to a task that calls the work.
  func workBeginsLater(_ ticket: WorkTicket, _ source: FlowEvent.Source) {
    guard blueprint.isLimited(Int(source.step)), let permits = permits(of: ticket) else { return }
    state.withLock { _ in permits.beginsLater() }
  }

  /// The permits of work that is called, which may have been abandoned since.
  private func permits(of ticket: WorkTicket) -> ClaimPermits? {
    state.withLock { $0.anyClaim(ticket)?.permits }
  }

  /// One that waits has been given a permit; returns the limiters that are to be served.
  func permitArrived(for permits: ClaimPermits) -> [FlowLimiter] {
    let ticket = permits.ticket
    let times = permits.times
    let (laneCount, limiters) = state.withLock { state -> (Int, [FlowLimiter]) in
      // If it is cancelled, it keeps what it has until it is settled.
      guard permits.accept(), !state.machine.isStopping(ticket) else { return (0, []) }
      var limiters: [FlowLimiter] = []
      if state.machine.holdsUserWork {
        limiters = permits.giveBack()
      } else if let limiter = permits.acquire(at: times) {
        return (0, limiter.hasClock ? [limiter] : [])
      }
      state.machine.resume(ticket)
      return (state.lanesToAdd(), limiters)
    }
    addLanes(laneCount)
    return limiters
  }
}
