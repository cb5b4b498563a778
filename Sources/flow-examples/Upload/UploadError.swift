import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Why a file was not uploaded.
enum UploadError: Error, Hashable, CustomStringConvertible {
  case unreadable(path: String)
  case unaddressable(name: String)
  case unanswered(server: String, reason: String)
  case redirected(to: String)
  case refused(status: Int)

  /// Interprets the end of an upload; nil if the file was stored.
  init?(link: URL, response: URLResponse?, error: (any Error)?) {
    let answer = response as? HTTPURLResponse
    switch (error, answer?.statusCode ?? 0) {
    case (let error as URLError, _) where error.code == .cancelled:
      // Not cancelled by us: on Linux, a transfer that is asked for a password ends like this.
      self = .refused(status: 401)
    case (let error?, _):
      let server = (link.host ?? "") + (link.port.map { ":\($0)" } ?? "")
      let isLate = (error as? URLError)?.code == .timedOut
      self = .unanswered(server: server, reason: isLate ? "it took too long" : error.localizedDescription)
    case (nil, 200..<300):
      return nil
    case (nil, 300..<400):
      self = .redirected(to: answer?.value(forHTTPHeaderField: "Location") ?? "another address")
    case (nil, let status):
      self = .refused(status: status)
    }
  }

  var description: String {
    switch self {
    case .unreadable(let path):
      "\(path) cannot be read. Check that it is still there, and that you may read it."
    case .unaddressable(let name):
      "The name \(name) isn't UTF-8, so no address can hold it. Rename the file; \\x shows a byte that isn't UTF-8."
    case .unanswered(let server, let reason):
      "There is no answer from \(server) (\(reason)). Check the address, and that the server runs."
    case .redirected(let address):
      "The server sends the upload on to \(address). Upload to that address."
    case .refused(let status):
      "The server answered \(status). \(Self.remedy(for: status))"
    }
  }

  private static func remedy(for status: Int) -> String {
    switch status {
    case 401, 403: "Check that you may write there."
    case 404, 409: "Check the path of the address: the folder has to exist on the server."
    case 405, 501: "Choose an address that takes PUT."
    case 413: "Send a smaller file, or raise the server's limit."
    case 507: "Make room on the server."
    case 500...: "Look into the server's log, or try again later."
    default: "Look into the server's log."
    }
  }
}
