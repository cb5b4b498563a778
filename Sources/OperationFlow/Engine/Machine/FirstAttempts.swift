/// The timers of first attempts, by the places of their tickets.
///
/// Most attempts end in time, so the scope of a timed first attempt is opened only when a timer's time is over, or when the
/// attempt has failed.
struct FirstAttempts: Sendable {
  struct Entry: Sendable {
    var timer: TimerID?
    /// What times all attempts together.
    var totalTimer: TimerID?
    /// Whether the attempt has ended, and only waits to be settled: it can't time out any more.
    var hasEnded = false

    var isTimed: Bool { timer != nil || totalTimer != nil }
  }

  private var entries: [Entry] = []

  subscript(ticket: WorkTicket) -> Entry {
    get { ticket.place < entries.count ? entries[ticket.place] : Entry() }
    set {
      while entries.count <= ticket.place { entries.append(Entry()) }
      entries[ticket.place] = newValue
    }
  }

  /// Notes that an attempt has ended; false if it has no timers here.
  mutating func noteEnd(_ ticket: WorkTicket) -> Bool {
    guard ticket.place < entries.count, entries[ticket.place].isTimed else { return false }
    entries[ticket.place].hasEnded = true
    return true
  }

  /// Takes out what is kept of a claim.
  mutating func take(_ ticket: WorkTicket) -> Entry {
    guard ticket.place < entries.count else { return Entry() }
    defer { entries[ticket.place] = Entry() }
    return entries[ticket.place]
  }
}
