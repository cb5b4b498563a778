import Foundation

/// An execution as the service describes it: its status, and its output or error.
public struct StepFunctionsExecution: Sendable, Hashable, Decodable {
  /// The states of an execution; later versions of the service may add more.
  public struct Status: Sendable, Hashable, CustomStringConvertible, Decodable {
    /// The name of the status, such as `RUNNING`.
    public let description: String

    /// Creates a status with the service's name.
    ///
    /// - Parameter description: The service's name for the status, such as `RUNNING`.
    public init(_ description: String) { self.description = description }

    /// Reads the service's name.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The decoder's error if there is no text.
    public init(from decoder: any Decoder) throws { description = try String(from: decoder) }

    /// The execution has not ended.
    public static let running = Status("RUNNING")
    /// The execution has ended with an output.
    public static let succeeded = Status("SUCCEEDED")
    /// The execution has ended with an error.
    public static let failed = Status("FAILED")
    /// The execution has exceeded the time limit of its state machine.
    public static let timedOut = Status("TIMED_OUT")
    /// Someone has stopped the execution.
    public static let aborted = Status("ABORTED")
  }

  /// The execution's ARN.
  public let executionARN: String
  /// The execution's name.
  public let name: String?
  /// The status: running, or the way in which the execution ended.
  public let status: Status
  /// The output as JSON; `nil` unless the execution has succeeded.
  public let output: Data?
  /// The name of the error with which the execution ended, if it has one.
  public let error: String?
  /// The cause of the error, if the service has one.
  public let cause: String?

  /// True if the execution has ended.
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
    // Some services put the error of a failed execution into its output as well.
    output = status == .succeeded ? try values.decodeIfPresent(String.self, forKey: .output).map { Data($0.utf8) } : nil
    error = try values.decodeIfPresent(String.self, forKey: .error)
    cause = try values.decodeIfPresent(String.self, forKey: .cause)
  }
}
