extension FlowReport {
  /// The summary in its default style.
  public var summary: String { summary(style: .standard) }

  /// Returns the summary: a line `TIME [WHO] WHAT` for each event, and a last line that says how the run ended.
  ///
  /// It lists the first 20 of a group's failed items, and says how many more there are.
  ///
  /// - Parameter style: How times are shown.
  /// - Returns: The summary's text.
  public func summary(style: FlowSummaryStyle) -> String {
    Summary(flowName: flowName, events: events, facts: facts, style: style).text
  }
}
