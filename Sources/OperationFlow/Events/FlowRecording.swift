/// How much of a run its record keeps; observers and subscribers are told of everything all the same.
public enum FlowRecording: Sendable, Hashable {
  /// Every event: two and more for each item of a group, at about 64 bytes.
  case everything
  /// Of each step, or group of items, this many events from its beginning and this many from its end.
  ///
  /// What lies between is left out and counted, but for the first 1,000 items that fail: all that is known of them stays.
  /// What runs and steps themselves do is always kept. Counts below 0 are taken as 0.
  case bounded(first: Int, last: Int)
  /// Only the run's beginning and end, and how much was left out.
  case none

  /// The first and the last 1,000 events of each step or group, and what tells of the first 1,000 failures.
  public static let standard = FlowRecording.bounded(first: 1_000, last: 1_000)
}
