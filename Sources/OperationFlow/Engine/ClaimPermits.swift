/// What a claim has of the permits that it needs, and what waits for them in its place.
final class ClaimPermits: PermitWaiter, @unchecked Sendable {
  // Invariant: the variables are read and written only under the lock of the claim's run.
  private enum Stage {
    /// It has some of them, and asks for the next one.
    case asking
    case waiting(place: Int)
    /// It has all, and a lane is about to begin.
    case ready
    case begun
    /// Its work was abandoned, and has them until it has really ended.
    case kept(String)
  }

  private let engine: RunEngine
  let ticket: WorkTicket
  private let limiters: [FlowLimiter]
  private var stage = Stage.asking
  private var heldCount = 0
  /// Whether its work has begun; it may have given its permits back since, to wait for something else.
  private var hasBegun = false

  init(_ engine: RunEngine, _ ticket: WorkTicket, _ limiters: [FlowLimiter]) {
    (self.engine, self.ticket, self.limiters) = (engine, ticket, limiters)
  }

  /// The times on the limiters' clocks, which must not be read under a lock; empty if none has a clock.
  var times: [Duration] { limiters.contains(where: \.hasClock) ? limiters.map(\.time) : [] }

  func permitArrived() -> [FlowLimiter] { engine.permitArrived(for: self) }

  var isReady: Bool { if case .ready = stage { true } else { false } }

  var awaited: FlowLimiter? { if case .waiting = stage { limiters[heldCount] } else { nil } }

  /// Takes the permits that are missing; returns the limiter that it has to wait for, if there is one.
  func take(at times: [Duration]) -> FlowLimiter? {
    if case .begun = stage { return nil }
    while heldCount < limiters.count {
      if let place = limiters[heldCount].takeOrWait(at: times.isEmpty ? .zero : times[heldCount], self) {
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

  /// The work begins, if it has all of its permits and has not begun; returns the limiters that are to be served, and
  /// whether it begins for the first time.
  func begin(at times: [Duration]) -> (limiters: [FlowLimiter], isFirst: Bool)? {
    guard case .ready = stage else { return nil }
    defer { hasBegun = true }
    stage = .begun
    return (zip(limiters, times).filter { $0.begin(at: $1) }.map(\.0), !hasBegun)
  }

  /// It gives back all that it has, waits no longer, and may ask again; returns the limiters that are to be served.
  func giveBack() -> [FlowLimiter] {
    var served: [FlowLimiter] = []
    if case .waiting(let place) = stage, limiters[heldCount].leave(place) { served.append(limiters[heldCount]) }
    let isBegun = if case .begun = stage { true } else { false }
    for limiter in limiters.prefix(heldCount) where limiter.giveBack(hasBegun: isBegun) { served.append(limiter) }
    (stage, heldCount) = (.asking, 0)
    return served
  }

  /// Its work was abandoned: if that has begun, it keeps the permits until `endKept()`.
  func keep(for keeper: String) -> Bool {
    guard case .begun = stage else { return false }
    stage = .kept(keeper)
    for limiter in limiters { limiter.note(keeper) }
    return true
  }

  /// Abandoned work has ended; returns the limiters that are to be served.
  func endKept() -> [FlowLimiter] {
    guard case .kept(let keeper) = stage else { return [] }
    stage = .asking
    return limiters.filter { $0.giveBack(from: keeper) }
  }
}
