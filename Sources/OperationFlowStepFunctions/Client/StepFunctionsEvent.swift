import Foundation

/// An event of an execution's history, as the service returns it.
public struct StepFunctionsEvent: Sendable, Hashable {
  /// The number of the event in the history, counted from 1.
  public let id: Int
  /// The number of the event that caused this one; 0 for the first.
  public let previousID: Int
  /// The type of the event, such as `ActivityScheduled`.
  public let type: String
  /// The time of the event.
  public let date: Date
  /// The details of the event, such as the members of `activityScheduledEventDetails`, as a JSON object.
  public let details: Data

  /// Reads an event of the service; `nil` if its number, type or time is missing.
  init?(_ event: [String: Any]) {
    guard let id = event["id"] as? Int, let type = event["type"] as? String,
      let date = Self.date(event["timestamp"])
    else { return nil }
    self.id = id
    previousID = event["previousEventId"] as? Int ?? 0
    self.type = type
    self.date = date
    let details = event.first { $0.key.hasSuffix("EventDetails") }?.value as? [String: Any] ?? [:]
    self.details = (try? JSONSerialization.data(withJSONObject: details, options: .sortedKeys)) ?? Data("{}".utf8)
  }

  /// Parses a date in seconds since 1970, or in the format of ISO 8601.
  private static func date(_ value: Any?) -> Date? {
    if let seconds = value as? Double { return Date(timeIntervalSince1970: seconds) }
    guard let text = value as? String else { return nil }
    return (try? Date(text, strategy: .iso8601))
      ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
  }
}
