extension RunDigest {
  /// The summary in a style; a run that is under way has not finished in it.
  package func summary(style: FlowSummaryStyle) -> String {
    switch style.form.content {
    case .events: Summary(digest: self, style: style).text
    case .brief(let lineLimit): BriefSummary(self, lineLimit: lineLimit).text
    case .written(let form): form.text(self, style)
    }
  }
}

extension FlowReport {
  /// The summary in its default style.
  public var summary: String { summary(style: .standard) }

  /// Returns the summary; in the standard style, a line `TIME [WHO] WHAT` for each event, and then how the run ended.
  ///
  /// It lists the first 20 of a group's failed items, and says how many more there are.
  ///
  /// - Parameter style: What it consists of, and how times are shown.
  /// - Returns: The summary's text.
  public func summary(style: FlowSummaryStyle) -> String { digest.summary(style: style) }
}
