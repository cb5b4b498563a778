/// An error of bytes that aren't an acceptable request.
enum HTTPParsingError: Error, Hashable, CustomStringConvertible {
  case malformed(String)
  case headerTooLarge(limit: Int)
  case bodyTooLarge(limit: Int)
  case unknownTransferEncoding(String)
  case unknownVersion(String)

  /// The status of the answer.
  var status: Int {
    switch self {
    case .malformed: 400
    case .headerTooLarge: 431
    case .bodyTooLarge: 413
    case .unknownTransferEncoding: 501
    case .unknownVersion: 505
    }
  }

  var description: String {
    switch self {
    case .malformed(let what):
      "The \(what) is malformed. Send a request as RFC 9112 describes it."
    case .headerTooLarge(let limit):
      "The header has more than \(limit) bytes. Send fewer or shorter fields."
    case .bodyTooLarge(let limit):
      "The body has more than \(limit) bytes. Send a smaller file."
    case .unknownTransferEncoding(let name):
      "The transfer encoding '\(name)' is unknown. Send the body chunked or with its length."
    case .unknownVersion(let name):
      "The version '\(name)' is unknown. Send the request as HTTP/1.1."
    }
  }
}
