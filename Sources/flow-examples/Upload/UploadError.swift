import Foundation
import OperationFlow

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An error of a file that was not uploaded.
package enum UploadError: Error, Hashable, CustomStringConvertible {
  case unreadable(path: String)
  case unaddressable(name: String)
  case unanswered(server: String, reason: String)
  case redirected(to: String)
  /// The server refused the file. `retryAfter` is the time that the server asks to wait before the file is sent again.
  case refused(status: Int, retryAfter: Duration? = nil)

  /// Interprets the end of an upload; nil if the file was stored.
  package init?(link: URL, response: URLResponse?, error: (any Error)?) {
    let answer = response as? HTTPURLResponse
    switch (error, answer?.statusCode ?? 0) {
    case (let error as URLError, _) where error.code == .cancelled:
      // Not cancelled by this program: on Linux, a transfer that needs a password ends like this.
      self = .refused(status: 401)
    case (let error?, _):
      let isLate = (error as? URLError)?.code == .timedOut
      self = .unanswered(server: Self.name(of: link), reason: isLate ? "it took too long" : error.localizedDescription)
    case (nil, 200..<300):
      return nil
    case (nil, 300..<400):
      self = .redirected(to: answer?.value(forHTTPHeaderField: "Location") ?? "another address")
    case (nil, 0):
      self = .unanswered(server: Self.name(of: link), reason: "its answer was cut off")
    case (nil, let status):
      let field = answer?.value(forHTTPHeaderField: "Retry-After")
      self = .refused(status: status, retryAfter: field.flatMap { RetryAfter.delay($0) })
    }
  }

  package var description: String {
    switch self {
    case .unreadable(let path):
      "\(path) cannot be read. Check that it is still there, and that you may read it."
    case .unaddressable(let name):
      "The name \(name) isn't UTF-8, so no address can hold it. Rename the file; \\x shows a byte that isn't UTF-8."
    case .unanswered(let server, let reason):
      "There is no answer from \(server) (\(reason)). Check the address, and that the server runs."
    case .redirected(let address):
      "The server sends the upload on to \(address). Upload to that address."
    case .refused(let status, nil):
      "The server answered \(status). \(Self.remedy(for: status))"
    case .refused(let status, let delay?):
      "The server answered \(status), and asks to wait \(delay.components.seconds) s. \(Self.remedy(for: status))"
    }
  }

  private static func name(of link: URL) -> String { (link.host ?? "") + (link.port.map { ":\($0)" } ?? "") }

  private static func remedy(for status: Int) -> String {
    switch status {
    case 401, 403: "Check that you may write there."
    case 404, 409: "Check the path of the address: the folder has to exist on the server."
    case 405, 501: "Choose an address that takes PUT."
    case 413: "Send a smaller file, or raise the server's limit."
    case 408, 425, 429: "Try again later, with fewer files at once."
    case 507: "Make room on the server."
    case 500...: "Look into the server's log, or try again later."
    default: "Look into the server's log."
    }
  }
}

extension UploadError: FlowRetryDelaying {
  /// The delay that the server asks for before the next attempt.
  package var retryDelay: Duration? {
    guard case .refused(_, let delay) = self else { return nil }
    return delay
  }

  /// The longest delay that an upload accepts from a server; with a longer one, the file has failed.
  package static let longestDelay = Duration.seconds(600)

  /// True if another attempt may succeed: the server wasn't reached, or has not refused the file for good.
  package var isWorthRetrying: Bool {
    switch self {
    case .unreadable, .unaddressable, .redirected: false
    case .unanswered: true
    case .refused(_, let delay?) where delay > Self.longestDelay: false
    // A server that doesn't support the request won't support it later either.
    case .refused(501, _), .refused(505, _): false
    case .refused(let status, _): status >= 500 || [408, 425, 429].contains(status)
    }
  }
}
