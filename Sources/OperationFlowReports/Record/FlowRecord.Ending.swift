import OperationFlow

extension FlowRecord {
  /// How a run ended.
  public struct Ending: Sendable, Hashable {
    /// Whether a run succeeded.
    public enum Result: String, Sendable, Hashable, Codable, CaseIterable {
      /// Every step that was reached has succeeded.
      case succeeded
      /// A step failed, or the flow could not start.
      case failed
      /// The run was cancelled.
      case cancelled
    }

    /// Whether the run succeeded.
    public let result: Result
    /// How long the run took.
    public let duration: Duration
    /// What the last line of a summary says after whether the run succeeded; empty if there is nothing to say.
    ///
    /// It may hold any character; a summary escapes those that aren't plain text.
    public let text: String
    /// Where and with what the run failed; `nil` unless it failed.
    public let failure: Failure?

    package init(result: Result, duration: Duration, text: String, failure: Failure? = nil) {
      (self.result, self.duration, self.text, self.failure) = (result, duration, text, failure)
    }
  }

  /// Where and with what a run failed.
  public struct Failure: Sendable, Hashable, Codable {
    /// What failed, as a summary shows it, such as `[words #3]`.
    public let name: String
    /// The ``Step/id`` of the step; `nil` if no step is to blame.
    public let step: Int?
    /// The index of the group's item; `nil` outside groups.
    public let item: Int?
    /// The number of the attempt that failed, counted from 1.
    public let attempt: Int
    /// What is wrong: the text of the error, without the remedy if it has one.
    public let problem: String
    /// What to do about it; `nil` if the error doesn't say.
    public let remedy: String?
    /// Whether the flow was refused, so that nothing of it ran.
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

  /// Decodes how a run ended.
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

  /// Encodes how a run ended; its duration is in microseconds.
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
