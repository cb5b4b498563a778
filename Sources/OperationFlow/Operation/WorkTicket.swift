/// A host's own identifier for a piece of work that it has handed out.
package typealias WorkTicket = SlabID
