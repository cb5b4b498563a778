import OperationFlow

extension FlowSummaryStyle.Form {
  /// All details of each step: its times, the values that it read and wrote, the reason for a case, and its attempts.
  public static let detailed = Self("detailed") { DetailedSummary(FlowRecord($0), style: $1).text }
}

extension FlowSummaryStyle {
  /// All details of each step, with times to the millisecond, and the cause of a failure last.
  public static var detailed: FlowSummaryStyle { FlowSummaryStyle(form: .detailed, timeStyle: .milliseconds) }
}

extension FlowRecord {
  /// Returns the summary of the record, which is the summary of its run; the run may still be under way.
  ///
  /// - Parameter style: The form of the summary, and the form of its times.
  /// - Returns: The summary's text.
  public func summary(style: FlowSummaryStyle = .standard) -> String {
    // The digest of a record has too few details for the detailed form.
    style.form == .detailed ? DetailedSummary(self, style: style).text : digest.summary(style: style)
  }
}
