extension FlowReport {
  /// The summary in its default style.
  public var summary: String { summary(style: .standard) }

  /// Returns the summary; in the standard style, a line `TIME [WHO] WHAT` for each event, and then how the run ended.
  ///
  /// It lists the first 20 of a group's failed items, and says how many more there are.
  ///
  /// - Parameter style: What it consists of, and how times are shown.
  /// - Returns: The summary's text.
  public func summary(style: FlowSummaryStyle) -> String { record.summary(style: style) }
}

extension FlowRecord {
  /// Returns the summary of the record, the same as that of the run; a run that is under way has not finished in it.
  ///
  /// - Parameter style: What it consists of, and how times are shown.
  /// - Returns: The summary's text.
  public func summary(style: FlowSummaryStyle = .standard) -> String {
    switch style.form.content {
    case .events: Summary(record: self, style: style).text
    case .brief(let lineLimit): BriefSummary(self, lineLimit: lineLimit).text
    case .detailed: DetailedSummary(self, style: style).text
    }
  }
}
