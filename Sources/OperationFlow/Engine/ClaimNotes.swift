import Foundation

/// When a piece of work was claimed, and for which attempt.
struct ClaimNote: Sendable {
  var date = Date.distantPast
  var attempt = 1
}

/// What is kept about claims, by the places of their tickets; what settled claims left stays until a place is reused.
struct ClaimNotes: Sendable {
  /// Separate, because usually one piece of work runs alone, and then no array is needed.
  private var first = ClaimNote()
  private var others: [ClaimNote] = []

  @inline(__always)
  subscript(ticket: WorkTicket) -> ClaimNote {
    get {
      let place = ticket.place
      if place == 0 { return first }
      return place <= others.count ? others[place - 1] : ClaimNote()
    }
    set {
      let place = ticket.place
      guard place > 0 else { return first = newValue }
      if others.count < place { makeRoom(for: place) }
      others[place - 1] = newValue
    }
  }

  @inline(never)
  private mutating func makeRoom(for place: Int) {
    while others.count < place { others.append(ClaimNote()) }
  }
}
