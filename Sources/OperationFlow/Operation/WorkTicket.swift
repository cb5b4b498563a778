/// A host's own identifier for a piece of work that it has handed out.
typealias WorkTicket = SlabID
