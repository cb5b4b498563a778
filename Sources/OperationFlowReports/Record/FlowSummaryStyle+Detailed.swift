import OperationFlow

extension FlowSummaryStyle.Form {
  /// All details of each step: its times, the values that it read and wrote, the reason for a case, and its attempts.
  public static let detailed = Self("detailed") { DetailedSummary($0, style: $1).text }
}

extension FlowSummaryStyle {
  /// All details of each step, with times to the millisecond, and the cause of a failure last.
  public static var detailed: FlowSummaryStyle { FlowSummaryStyle(form: .detailed, timeStyle: .milliseconds) }
}
