import OperationFlow

extension FlowSummaryStyle.Form {
  /// All details of each step: waiting and running, what it read and wrote, why a case was taken, and its attempts.
  public static let detailed = Self("detailed") { DetailedSummary(FlowRecord($0), style: $1).text }
}

extension FlowSummaryStyle {
  /// All details of each step, with times to the millisecond, and the cause of a failure last.
  public static var detailed: FlowSummaryStyle { FlowSummaryStyle(form: .detailed, timeStyle: .milliseconds) }
}

extension FlowRecord {
  /// Returns the summary of the record, the same as that of the run; a run that is under way has not finished in it.
  ///
  /// - Parameter style: What it consists of, and how times are shown.
  /// - Returns: The summary's text.
  public func summary(style: FlowSummaryStyle = .standard) -> String {
    // The digest of a record has only what the forms of the core need.
    style.form == .detailed ? DetailedSummary(self, style: style).text : digest.summary(style: style)
  }
}
