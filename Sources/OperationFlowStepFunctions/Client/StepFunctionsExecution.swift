import Foundation

/// An execution as the service describes it: its status, and its output or error.
public struct StepFunctionsExecution: Sendable, Hashable, Decodable {
  /// The states of an execution; later versions of the service may add more.
  public struct Status: Sendable, Hashable, CustomStringConvertible, Decodable {
    /// The service's name for it, such as `RUNNING`.
    public let description: String

    /// Creates a status with the service's name for it.
    ///
    /// - Parameter description: The service's name for it, such as `RUNNING`.
    public init(_ description: String) { self.description = description }

    /// Reads the service's name for it.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The decoder's error if there is no text.
    public init(from decoder: any Decoder) throws { description = try String(from: decoder) }

    /// It has not ended.
    public static let running = Status("RUNNING")
    /// It has ended with an output.
    public static let succeeded = Status("SUCCEEDED")
    /// It has ended with an error.
    public static let failed = Status("FAILED")
    /// It has taken longer than its state machine allows.
    public static let timedOut = Status("TIMED_OUT")
    /// Someone has stopped it.
    public static let aborted = Status("ABORTED")
  }

  /// The execution's ARN.
  public let executionARN: String
  /// The execution's name.
  public let name: String?
  /// Whether it is running, or how it ended.
  public let status: Status
  /// Its output as JSON; `nil` unless it has succeeded.
  public let output: Data?
  /// The name of the error with which it ended, if it has one.
  public let error: String?
  /// What led to the error, if the service says it.
  public let cause: String?

  /// Whether it has ended.
  public var hasEnded: Bool { ![.running, Status("PENDING_REDRIVE")].contains(status) }

  private enum CodingKeys: String, CodingKey {
    case executionARN = "executionArn"
    case name, status, output, error, cause
  }

  /// Reads the service's description.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The decoder's error if the ARN or the status is missing.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    executionARN = try values.decode(String.self, forKey: .executionARN)
    name = try values.decodeIfPresent(String.self, forKey: .name)
    status = try values.decode(Status.self, forKey: .status)
    // Some services put the error of a failed execution here as well.
    output = status == .succeeded ? try values.decodeIfPresent(String.self, forKey: .output).map { Data($0.utf8) } : nil
    error = try values.decodeIfPresent(String.self, forKey: .error)
    cause = try values.decodeIfPresent(String.self, forKey: .cause)
  }
}
