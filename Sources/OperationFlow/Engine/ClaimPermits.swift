/// The permits of a claim; it waits for a limiter in place of the claim.
final class ClaimPermits: PermitWaiter, @unchecked Sendable {
  // Invariant: the variables are read and written only under the lock of the claim's run.
  private enum Stage {
    /// It has none or some of its permits, and asks for the next one.
    case asking
    case waiting(place: Int)
    /// It has all of them, and a lane is about to begin.
    case ready
    /// A lane begins, and will call the work, so that the time of the start is still unknown.
    case starting
    case begun
    /// The work was abandoned, and has the permits until it really ends; the text names the work.
    case kept(String, hasBegun: Bool)
  }

  private let engine: RunEngine
  let ticket: WorkTicket
  private let limiters: [FlowLimiter]
  private let precedence: Int
  private var stage = Stage.asking
  private var heldCount = 0
  /// True if it has had all permits; it may have released them since, to wait for something else.
  private var hadAll = false
  /// The times at which the limiters count the start of the work.
  private var beginnings: [Duration] = []

  init(_ engine: RunEngine, _ ticket: WorkTicket, _ limiters: [FlowLimiter], precedence: Int) {
    self.engine = engine
    self.ticket = ticket
    self.limiters = limiters
    self.precedence = precedence
  }

  /// The times on the limiters' clocks, which must not be read under a lock; empty if no limiter has a clock.
  var times: [Duration] { limiters.contains(where: \.hasClock) ? limiters.map(\.time) : [] }

  func permitArrived() -> [FlowLimiter] { engine.permitArrived(for: self) }

  var isReady: Bool { if case .ready = stage { true } else { false } }

  var awaited: FlowLimiter? { if case .waiting = stage { limiters[heldCount] } else { nil } }

  /// Acquires the missing permits; returns the limiter that it has to wait for, if there is one.
  func acquire(at times: [Duration]) -> FlowLimiter? {
    switch stage {
    case .starting, .begun: return nil
    case .asking, .waiting, .ready, .kept: break
    }
    while heldCount < limiters.count {
      let time = times.isEmpty ? .zero : times[heldCount]
      if let place = limiters[heldCount].acquireOrWait(at: time, self, precedence: precedence) {
        stage = .waiting(place: place)
        return limiters[heldCount]
      }
      heldCount += 1
    }
    stage = .ready
    return nil
  }

  /// Accepts the permit that it waits for; returns false if it doesn't wait.
  func accept() -> Bool {
    guard case .waiting = stage else { return false }
    heldCount += 1
    stage = .asking
    return true
  }

  /// Prepares for the call of the work, if it has all of its permits; returns true if it has them for the first time.
  func prepare() -> Bool {
    guard case .ready = stage else { return false }
    defer { hadAll = true }
    stage = .starting
    return !hadAll
  }

  /// Counts the work as started, because it is called now; returns the limiters that have to be served.
  func begin(at times: [Duration]) -> [FlowLimiter] {
    switch stage {
    case .starting: stage = .begun
    case .kept(let keeper, hasBegun: false): stage = .kept(keeper, hasBegun: true)
    case .asking, .waiting, .ready, .begun, .kept: return []
    }
    beginnings = times
    return times.indices.filter { limiters[$0].begin(at: &beginnings[$0]) }.map { limiters[$0] }
  }

  /// Withdraws the start of work whose code is called later, in a task.
  func beginsLater() {
    switch stage {
    case .begun: stage = .starting
    case .kept(let keeper, hasBegun: true): stage = .kept(keeper, hasBegun: false)
    case .asking, .waiting, .ready, .starting, .kept: return
    }
    for (limiter, time) in zip(limiters, beginnings) { limiter.removeStart(at: time) }
  }

  /// Releases all permits and ends the wait, so that it may ask again; returns the limiters that have to be served.
  func release() -> [FlowLimiter] {
    var served: [FlowLimiter] = []
    if case .waiting(let place) = stage, limiters[heldCount].leave(place) { served.append(limiters[heldCount]) }
    let isBegun = if case .begun = stage { true } else { false }
    for limiter in limiters.prefix(heldCount) where limiter.release(hasBegun: isBegun) { served.append(limiter) }
    stage = .asking
    heldCount = 0
    return served
  }

  /// Assigns the permits of called work that is abandoned to a name, until `endKept()`; returns false if there was no
  /// call.
  func retain(for keeper: String) -> Bool {
    switch stage {
    case .starting: stage = .kept(keeper, hasBegun: false)
    case .begun: stage = .kept(keeper, hasBegun: true)
    case .asking, .waiting, .ready, .kept: return false
    }
    for limiter in limiters { limiter.addKeeper(keeper) }
    return true
  }

  /// Releases the permits of abandoned work that has ended; returns the limiters that have to be served.
  func endKept() -> [FlowLimiter] {
    guard case .kept(let keeper, let hasBegun) = stage else { return [] }
    stage = .asking
    return limiters.filter { $0.release(from: keeper, hasBegun: hasBegun) }
  }
}

// Limited work acquires its permits at a gate, before it is recorded as started. Its limiters count it when it is
// called.
extension RunEngine {
  /// Counts the start of a step's work in its limiters, because the work is called now.
  func workBegins(_ ticket: WorkTicket, _ source: FlowEvent.Source) {
    if blueprint.isLimited(Int(source.step)) { countBeginning(ticket) }
  }

  /// The times are read last, so that hardly any time passes between them and the work.
  private func countBeginning(_ ticket: WorkTicket) {
    guard let permits = permits(of: ticket) else { return }
    let times = permits.times
    FlowLimiter.serve(state.withLock { _ in permits.begin(at: times) })
  }

  /// Withdraws the start, because the code that was called only leads to a task that calls the work.
  func workBeginsLater(_ ticket: WorkTicket, _ source: FlowEvent.Source) {
    guard blueprint.isLimited(Int(source.step)), let permits = permits(of: ticket) else { return }
    state.withLock { _ in permits.beginsLater() }
  }

  /// Returns the permits of work that is called, which may have been abandoned since.
  private func permits(of ticket: WorkTicket) -> ClaimPermits? {
    state.withLock { $0.anyClaim(ticket)?.permits }
  }

  /// Accepts a permit for a waiting claim; returns the limiters that have to be served.
  func permitArrived(for permits: ClaimPermits) -> [FlowLimiter] {
    let ticket = permits.ticket
    let times = permits.times
    let (laneCount, limiters) = state.withLock { state -> (Int, [FlowLimiter]) in
      // A cancelled claim retains its permits until it is settled.
      guard permits.accept(), !state.machine.isStopping(ticket) else { return (0, []) }
      var limiters: [FlowLimiter] = []
      if state.machine.holdsUserWork {
        limiters = permits.release()
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
