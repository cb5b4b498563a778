/// The keys with which requests to AWS are signed; their descriptions and dumps contain no secret.
public struct AWSCredentials: Sendable, Hashable {
  /// The public key, which identifies the owner.
  public let accessKeyID: String
  /// The secret key.
  public let secretAccessKey: String
  /// The token of temporary keys; `nil` for permanent keys.
  public let sessionToken: String?

  /// Creates credentials.
  ///
  /// - Parameters:
  ///   - accessKeyID: The public key, which identifies the owner.
  ///   - secretAccessKey: The secret key.
  ///   - sessionToken: The token of temporary keys; `nil` for permanent keys.
  public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
    self.accessKeyID = accessKeyID
    self.secretAccessKey = secretAccessKey
    self.sessionToken = sessionToken
  }
}

extension AWSCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The public key only.
  public var description: String { "AWSCredentials(\(accessKeyID))" }

  /// The public key only.
  public var debugDescription: String { description }

  /// The public key only, so that `dump` and failed expectations show no secret either.
  public var customMirror: Mirror { Mirror(self, children: ["accessKeyID": accessKeyID]) }
}
