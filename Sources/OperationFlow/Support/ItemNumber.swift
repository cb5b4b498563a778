extension Int {
  /// The text for the item of a group that has this index: `#1` for the first one, whose index is 0.
  ///
  /// People count items as they count steps, from 1. The API counts them as an array does, from 0.
  package var itemNumber: String { "#\(self &+ 1)" }
}
