import Foundation

/// An error of a call to AWS Step Functions, with its remedy; its texts contain no secret.
public struct StepFunctionsError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
  /// The kinds of failure: the codes of the service, and a few of the library's own.
  ///
  /// Later versions may add more, so a `switch` over them needs a `default`.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The code's name, such as `ExecutionDoesNotExist`.
    public let description: String

    /// Creates a code of the service.
    ///
    /// - Parameter description: The code's name, such as `ExecutionDoesNotExist`.
    public init(_ description: String) { self.description = description }

    /// No credentials were found.
    public static let missingCredentials = Code("missingCredentials")
    /// No region was found.
    public static let missingRegion = Code("missingRegion")
    /// The endpoint is no HTTP URL.
    public static let invalidEndpoint = Code("invalidEndpoint")
    /// The clocks of this machine and of the service are too far apart for a signature to be accepted.
    public static let clockSkew = Code("clockSkew")
    /// The service wasn't reached, or the connection broke before the answer.
    public static let connectionFailed = Code("connectionFailed")
    /// The answer isn't what the service's API reference describes.
    public static let invalidAnswer = Code("invalidAnswer")
    /// A value is larger than the service accepts.
    public static let tooLarge = Code("tooLarge")
  }

  /// The kind of failure.
  public let code: Code
  /// The action that failed, such as `StartExecution`; `nil` if the failure was before any action.
  public let action: String?
  /// The service's message, or the library's.
  public let message: String
  /// The remedy, in a sentence.
  public let remedy: String
  /// The status of the HTTP answer; `nil` if there was none.
  public let status: Int?

  /// Creates an error, for a transport of your own.
  ///
  /// - Parameters:
  ///   - code: The kind of failure, usually the service's code.
  ///   - action: The action that failed.
  ///   - message: The problem, usually the service's message.
  ///   - remedy: The remedy; `nil` for the library's advice for the code.
  ///   - status: The status of the HTTP answer, if there was one.
  public init(_ code: Code, action: String?, message: String, remedy: String? = nil, status: Int? = nil) {
    self.code = code
    self.action = action
    self.message = message
    self.remedy = remedy ?? Self.advice(for: code)
    self.status = status
  }

  /// The action, the message, and the remedy.
  public var description: String {
    let place = action.map { "\($0): " } ?? ""
    return "\(place)\(code): \(message)\(message.hasSuffix(".") ? "" : ".") \(remedy)"
  }

  /// The error's ``description``, for code that reads `localizedDescription`.
  public var errorDescription: String? { description }
}

extension StepFunctionsError {
  static func missingCredentials(looked places: String, unsupported setting: String?) -> StepFunctionsError {
    let reason = setting.map { "; the profile's \($0) isn't supported" } ?? ""
    return StepFunctionsError(
      .missingCredentials, action: nil, message: "no credentials were found in \(places)\(reason)",
      remedy: "Set them in one of these places, or give AWSTransport a closure that returns them.")
  }

  static func missingRegion(looked places: String) -> StepFunctionsError {
    StepFunctionsError(
      .missingRegion, action: nil, message: "no region was found in \(places)",
      remedy: "Set it in one of these places, or give it to AWSTransport.")
  }

  static func invalidEndpoint(_ text: String) -> StepFunctionsError {
    StepFunctionsError(
      .invalidEndpoint, action: nil, message: "\"\(text)\" isn't the URL of an HTTP server",
      remedy: "Give an endpoint such as https://states.eu-central-1.amazonaws.com.")
  }

  static func connectionFailed(_ reason: String, host: String, action: String) -> StepFunctionsError {
    StepFunctionsError(
      .connectionFailed, action: action, message: "\(host): \(reason)",
      remedy: "See that the host can be reached from here.")
  }

  static func invalidAnswer(_ reason: String, action: String, status: Int? = nil) -> StepFunctionsError {
    StepFunctionsError(
      .invalidAnswer, action: action, message: reason, remedy: "See that the endpoint is one of AWS Step Functions.",
      status: status)
  }

  static func clockSkew(
    by difference: TimeInterval, code: String, action: String, status: Int
  ) -> StepFunctionsError {
    let minutes = Int((abs(difference) / 60).rounded())
    return StepFunctionsError(
      .clockSkew, action: action,
      message: "this machine's clock is \(minutes) minutes \(difference < 0 ? "behind" : "ahead of") the service's, "
        + "which therefore refused the signature (\(code))",
      remedy: "Set this machine's clock, and keep it right with a time service.", status: status)
  }
}
