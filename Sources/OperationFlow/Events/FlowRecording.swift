/// The part of a run's events that its record keeps; observers and subscribers always receive every event.
public enum FlowRecording: Sendable, Hashable {
  /// Keeps every event: at least two for each item of a group, at about 64 bytes each.
  case everything
  /// Keeps this many events from the beginning and this many from the end of each step or group of items.
  ///
  /// The events between are left out and counted, except that everything known of the first 1,000 items that fail is
  /// kept. The events of runs and steps themselves are always kept. Counts below 0 are treated as 0.
  case bounded(first: Int, last: Int)
  /// Keeps only the beginning and end of the run, and how many events were left out.
  case none

  /// Keeps the first and last 1,000 events of each step or group, and the events about the first 1,000 failures.
  public static let standard = FlowRecording.bounded(first: 1_000, last: 1_000)
}
