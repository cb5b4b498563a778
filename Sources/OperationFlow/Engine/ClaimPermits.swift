/// What claims have of the permits that they need, by ticket.
struct ClaimPermits: Sendable {
  private enum Stage: Sendable {
    /// It has some of them, and asks for the next one.
    case asking
    case waiting(place: Int)
    /// It has all, and a lane is about to begin.
    case ready
    case begun
  }

  private struct Entry: Sendable {
    let ticket: WorkTicket
    let limits: StepLimits
    var stage = Stage.asking
    var heldCount = 0
    /// Whether its work has begun; it may have given its permits back since, to wait for something else.
    var hasBegun = false
  }

  private struct Kept: Sendable {
    let limits: StepLimits
    let keeper: PermitKeeper
  }

  private var entries: [Entry?] = []
  /// The permits of abandoned work, whose claim has settled: it has them until it has really ended.
  private var kept: [WorkTicket: Kept] = [:]

  private func place(of ticket: WorkTicket) -> Int? {
    ticket.place < entries.count && entries[ticket.place]?.ticket == ticket ? ticket.place : nil
  }

  /// The limiter whose permit a claim waits for.
  func awaited(by ticket: WorkTicket) -> FlowLimiter? {
    guard let place = place(of: ticket), let entry = entries[place], case .waiting = entry.stage else { return nil }
    return entry.limits.limiters[entry.heldCount]
  }

  /// Takes the permits that a claim doesn't have; returns the limiter that it has to wait for, if there is one.
  mutating func take(
    _ ticket: WorkTicket, _ limits: StepLimits, at times: [Duration], _ waiter: () -> any PermitWaiter
  ) -> FlowLimiter? {
    while entries.count <= ticket.place { entries.append(nil) }
    var entry = place(of: ticket).flatMap { entries[$0] } ?? Entry(ticket: ticket, limits: limits)
    if case .begun = entry.stage { return nil }
    defer { entries[ticket.place] = entry }
    while entry.heldCount < limits.limiters.count {
      let limiter = limits.limiters[entry.heldCount]
      if let place = limiter.takeOrWait(at: times.isEmpty ? .zero : times[entry.heldCount], waiter) {
        entry.stage = .waiting(place: place)
        return limiter
      }
      entry.heldCount += 1
    }
    entry.stage = .ready
    return nil
  }

  /// A claim has been given the permit that it waits for; false if it has settled, and so has given it back.
  mutating func accept(_ ticket: WorkTicket) -> Bool {
    guard let place = place(of: ticket), case .waiting? = entries[place]?.stage else { return false }
    entries[place]?.heldCount += 1
    entries[place]?.stage = .asking
    return true
  }

  /// A claim that has all of its permits begins; returns the limiters that are to be served, and whether it begins for
  /// the first time, or `nil` if it has begun.
  mutating func begin(_ ticket: WorkTicket, at times: [Duration]) -> (limiters: [FlowLimiter], isFirst: Bool)? {
    guard let place = place(of: ticket), let entry = entries[place], case .ready = entry.stage else { return nil }
    entries[place]?.stage = .begun
    entries[place]?.hasBegun = true
    return (zip(entry.limits.limiters, times).filter { $0.begin(at: $1) }.map(\.0), !entry.hasBegun)
  }

  /// A claim gives all that it has back, and may ask again; returns the limiters that are to be served.
  mutating func giveBack(_ ticket: WorkTicket) -> [FlowLimiter] {
    guard let place = place(of: ticket), let entry = entries[place] else { return [] }
    entries[place]?.stage = .asking
    entries[place]?.heldCount = 0
    return Self.giveBack(entry)
  }

  /// The claims that have all of their permits and have not begun give them back, and may ask again.
  mutating func giveBackUnbegun() -> [FlowLimiter] {
    entries.compactMap { if case .ready? = $0?.stage { $0?.ticket } else { nil } }.flatMap { giveBack($0) }
  }

  /// A claim has settled: it gives back what it has, and waits no longer.
  mutating func end(_ ticket: WorkTicket) -> [FlowLimiter] {
    guard let place = place(of: ticket), let entry = entries[place] else { return [] }
    entries[place] = nil
    return Self.giveBack(entry)
  }

  /// A claim has settled whose work is abandoned: what has begun keeps its permits until `endKept(_:)`.
  mutating func keep(_ ticket: WorkTicket, for keeper: @autoclosure () -> PermitKeeper) -> [FlowLimiter] {
    guard let place = place(of: ticket), let entry = entries[place], case .begun = entry.stage else {
      return end(ticket)
    }
    entries[place] = nil
    let new = Kept(limits: entry.limits, keeper: keeper())
    kept[ticket] = new
    for limiter in new.limits.limiters { limiter.note(new.keeper) }
    return []
  }

  /// Work has ended whose claim had settled before; returns the limiters that are to be served.
  mutating func endKept(_ ticket: WorkTicket) -> [FlowLimiter] {
    guard let old = kept.removeValue(forKey: ticket) else { return [] }
    return old.limits.limiters.filter { $0.giveBack(from: old.keeper) }
  }

  private static func giveBack(_ entry: Entry) -> [FlowLimiter] {
    let limiters = entry.limits.limiters
    var served: [FlowLimiter] = []
    if case .waiting(let place) = entry.stage, limiters[entry.heldCount].leave(place) {
      served.append(limiters[entry.heldCount])
    }
    let isBegun = if case .begun = entry.stage { true } else { false }
    for limiter in limiters.prefix(entry.heldCount) where limiter.giveBack(hasBegun: isBegun) { served.append(limiter) }
    return served
  }
}
