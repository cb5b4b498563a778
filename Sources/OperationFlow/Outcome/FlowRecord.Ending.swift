extension FlowRecord {
  /// The ending of a run.
  public struct Ending: Sendable, Hashable {
    /// The result of a run.
    public enum Result: String, Sendable, Hashable, CaseIterable {
      /// Every step that was reached has succeeded.
      case succeeded
      /// A step failed, or the flow could not start.
      case failed
      /// The run was cancelled.
      case cancelled
    }

    /// The result of the run.
    public let result: Result
    /// The duration of the run.
    public let duration: Duration
    /// The text at the end of a summary's last line, after the result; empty if there is none.
    ///
    /// The text may contain any character; a summary escapes those that aren't plain text.
    public let text: String
    /// The failure of the run, with its place; `nil` unless the run failed.
    public let failure: Failure?

    package init(result: Result, duration: Duration, text: String, failure: Failure? = nil) {
      (self.result, self.duration, self.text, self.failure) = (result, duration, text, failure)
    }
  }

  /// The failure of a run: its place and its error.
  public struct Failure: Sendable, Hashable {
    /// The name of the step or item that failed, as a summary shows it, such as `[words #3]`.
    public let name: String
    /// The ``Step/id`` of the step; `nil` if no step caused the failure.
    public let step: Int?
    /// The index of the group's item; `nil` outside groups.
    public let item: Int?
    /// The number of the attempt that failed, counted from 1.
    public let attempt: Int
    /// The problem: the text of the error, without the remedy if it has one.
    public let problem: String
    /// The remedy; `nil` if the error has none.
    public let remedy: String?
    /// True if the flow was refused before it started, so that no step ran.
    public let isRefusal: Bool

    package init(
      name: String, step: Int?, item: Int?, attempt: Int, problem: String, remedy: String?, isRefusal: Bool
    ) {
      self.name = name
      self.step = step
      self.item = item
      self.attempt = attempt
      self.problem = problem
      self.remedy = remedy
      self.isRefusal = isRefusal
    }
  }
}
