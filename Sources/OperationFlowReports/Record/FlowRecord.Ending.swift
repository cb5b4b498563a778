import OperationFlow

extension FlowRecord {
  /// The ending of a run.
  public struct Ending: Sendable, Hashable {
    /// The result of a run.
    public enum Result: String, Sendable, Hashable, Codable, CaseIterable {
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
  public struct Failure: Sendable, Hashable, Codable {
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

extension FlowRecord.Ending: Codable {
  private enum CodingKeys: CodingKey {
    case result, duration, text, failure
  }

  /// Decodes the ending of a run.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The decoder's errors.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      result: try container.decode(Result.self, forKey: .result),
      duration: .microseconds(try container.decode(in: SavedNumbers.times, forKey: .duration)),
      text: try container.decode(String.self, forKey: .text),
      failure: try container.decodeIfPresent(FlowRecord.Failure.self, forKey: .failure))
  }

  /// Encodes the ending of a run; its duration is in microseconds.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The encoder's errors.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(result, forKey: .result)
    try container.encode(duration.microsecondCount, forKey: .duration)
    try container.encode(text, forKey: .text)
    try container.encodeIfPresent(failure, forKey: .failure)
  }
}
