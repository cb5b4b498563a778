/// The keys with which requests to AWS are signed; no text or dump of them shows a secret.
public struct AWSCredentials: Sendable, Hashable {
  /// The public key, which identifies the owner.
  public let accessKeyID: String
  /// The secret key.
  public let secretAccessKey: String
  /// The token of temporary keys; `nil` for keys that last.
  public let sessionToken: String?

  /// Creates credentials.
  ///
  /// - Parameters:
  ///   - accessKeyID: The public half, which tells whose keys they are.
  ///   - secretAccessKey: The secret half.
  ///   - sessionToken: The token of temporary keys; `nil` for keys that last.
  public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
    self.accessKeyID = accessKeyID
    self.secretAccessKey = secretAccessKey
    self.sessionToken = sessionToken
  }
}

extension AWSCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The public key alone.
  public var description: String { "AWSCredentials(\(accessKeyID))" }

  /// The public key alone.
  public var debugDescription: String { description }

  /// The public key alone, so that `dump` and failed expectations show no secret either.
  public var customMirror: Mirror { Mirror(self, children: ["accessKeyID": accessKeyID]) }
}
