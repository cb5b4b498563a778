extension StepFunctionsError {
  /// True if the same request may succeed a little later.
  public var mayBeRetried: Bool {
    if code == .connectionFailed { return true }
    if Self.throttling.contains(code.description) { return true }
    return status.map { $0 == 429 || $0 >= 500 } ?? false
  }

  /// True if no request succeeds until someone changes the credentials, the rights, the clock or the settings.
  public var isAboutAccess: Bool {
    switch code {
    case .missingCredentials, .missingRegion, .invalidEndpoint, .clockSkew: true
    default: Self.access.contains(code.description)
    }
  }

  /// True if the service no longer waits for the task's answer.
  var saysTaskIsGone: Bool { ["TaskTimedOut", "TaskDoesNotExist", "InvalidToken"].contains(code.description) }

  private static let throttling: Set<String> = [
    "ThrottlingException", "Throttling", "ThrottledException", "TooManyRequestsException", "RequestThrottled",
    "RequestThrottledException", "RequestLimitExceeded", "BandwidthLimitExceeded", "SlowDown", "LimitExceededException",
    "ActivityWorkerLimitExceeded", "ServiceUnavailable", "ServiceUnavailableException", "InternalFailure",
    "InternalServerError", "RequestTimeout", "RequestTimeoutException", "ConflictException",
    "KmsThrottlingException",
  ]

  private static let signatures: Set<String> = [
    "InvalidSignatureException", "SignatureDoesNotMatch", "IncompleteSignature", "IncompleteSignatureException",
    "RequestExpired", "RequestTimeTooSkewed", "RequestInTheFuture",
  ]

  private static let keys: Set<String> = [
    "UnrecognizedClientException", "InvalidClientTokenId", "MissingAuthenticationToken",
    "MissingAuthenticationTokenException", "ExpiredTokenException", "ExpiredToken", "InvalidAccessKeyId",
    "OptInRequired",
  ]

  private static let rights: Set<String> = [
    "AccessDeniedException", "AccessDenied", "NotAuthorized", "KmsAccessDeniedException",
  ]

  private static let access = signatures.union(keys).union(rights).union(["KmsInvalidStateException"])

  /// True if the service refused a signature or denied access; a wrong date in the signature can cause both.
  var isAboutSignature: Bool { Self.signatures.contains(code.description) || Self.rights.contains(code.description) }

  /// Returns the library's advice for a code.
  static func advice(for code: Code) -> String {
    let name = code.description
    if signatures.contains(name) {
      return "See that the secret key belongs to the access key, and that the region is right."
    }
    if keys.contains(name) {
      return "See that the access key exists, is active and hasn't expired, and belongs to the endpoint."
    }
    if rights.contains(name) { return "Give the role or user of these credentials the right to do this." }
    if throttling.contains(name) { return "Call less often, or later." }
    return switch name {
    case "TaskTimedOut", "TaskDoesNotExist", "InvalidToken":
      "The service no longer waits for this task: drop its result; a retry of the state does the work again."
    case "ActivityDoesNotExist", "StateMachineDoesNotExist", "ExecutionDoesNotExist", "InvalidArn", "ResourceNotFound":
      "See that the ARN, the region and the endpoint belong together."
    case "KmsInvalidStateException": "See that the encryption key is enabled, and isn't about to be deleted."
    case "InvalidDefinition": "Correct the definition: the message says which state."
    case "InvalidName": "Use at most 80 characters, none of them a space, a bracket or one of ?*\"#%\\^|~`$&,;:/<>{}."
    case "ExecutionLimitExceeded", "ActivityLimitExceeded", "StateMachineLimitExceeded":
      "Delete or stop what is no longer needed, or ask AWS for a higher quota."
    case "ValidationException", "InvalidExecutionInput", "InvalidOutput": "Correct what the message names."
    default: "See the code in the API reference of AWS Step Functions."
    }
  }
}
