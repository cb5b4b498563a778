extension FlowReport {
  /// The summary in its default style.
  public var summary: String { summary(style: .standard) }

  /// The summary: a line for each event, each `TIME [WHO] WHAT`.
  ///
  /// - Parameter style: How times are shown.
  /// - Returns: The summary's text.
  public func summary(style: FlowSummaryStyle) -> String {
    Summary(events: events, style: style).text
  }
}
