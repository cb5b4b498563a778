import Foundation

extension FlowEvent: Hashable {
  /// Compares all properties of two events.
  public static func == (left: Self, right: Self) -> Bool {
    left.number == right.number && left.date == right.date && left.source == right.source
      && left.recorded.step == right.recorded.step && left.attempt == right.attempt
      && left.source.failure == right.source.failure && left.kind == right.kind && left.path == right.path
  }

  /// Hashes the number, the date and the subject of the event.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(number)
    hasher.combine(date)
    hasher.combine(source)
  }
}

extension FlowEvent {
  /// Creates an event that is not of a run under way, such as one that was saved.
  package init(date: Date, source: Source, kind: Kind, number: Int, path: FlowPath?) {
    self.init(RecordedEvent(date: date, source: source, kind: kind, number: number), path)
  }

  /// The same event with another path.
  package func at(_ path: FlowPath) -> FlowEvent { FlowEvent(recorded, path) }

  /// The event with its date rounded to microseconds, which survives being written and read.
  var rounded: FlowEvent {
    let date = Date(microseconds: recorded.date.microseconds)
    return FlowEvent(
      RecordedEvent(date: date, source: source, recordedKind: recorded.recordedKind, number: number), path)
  }
}
