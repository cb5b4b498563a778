/// What is found out once about values, for all runs that begin with them; it doesn't hold the values.
final class DataFacts: Sendable {
  static let ofNothing = DataFacts([:])

  /// The names and texts, sorted by name.
  let items: [FlowEvent.Item]

  /// Calls no user's code; it is `nil` if a text isn't at hand, because each run makes that anew.
  init?(_ values: [String: RecordedValue]) {
    guard values.values.allSatisfy({ $0.madeText != nil }) else { return nil }
    items = values.items()
  }
}
