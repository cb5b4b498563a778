/// A host's own mark for a piece of work that it has handed out.
typealias WorkTicket = SlabID
