extension FlowReport {
  /// The summary in its default style.
  public var summary: String { summary(style: .standard) }

  /// The summary: a line for each event, each `TIME [WHO] WHAT`, and a last one that says how the run ended.
  ///
  /// Of a group's failed items it has the first 20, and how many more there are.
  ///
  /// - Parameter style: How times are shown.
  /// - Returns: The summary's text.
  public func summary(style: FlowSummaryStyle) -> String {
    Summary(flowName: flowName, events: events, facts: facts, style: style).text
  }
}
