import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Why a file was not uploaded.
enum UploadError: Error, Hashable, CustomStringConvertible {
  case unreadable(path: String)
  case unreachable(server: String, reason: String)
  case redirected(to: String)
  case refused(status: Int)

  /// What the end of an upload means; nil where the file was stored.
  init?(link: URL, response: URLResponse?, error: (any Error)?) {
    if let error {
      self = .unreachable(server: link.host ?? link.absoluteString, reason: error.localizedDescription)
      return
    }
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    if let answering = response?.url, answering.absoluteURL != link.absoluteURL {
      // On its way to another address a PUT may have become a GET, whose success stores nothing.
      self = .redirected(to: answering.absoluteString)
    } else if (200..<300).contains(status) {
      return nil
    } else {
      self = .refused(status: status)
    }
  }

  var description: String {
    switch self {
    case .unreadable(let path):
      "\(path) cannot be read. Check that it is still there, and that you may read it."
    case .unreachable(let server, let reason):
      "\(server) was not reached: \(reason) Check the address, and that the server runs."
    case .redirected(let address):
      "The server sent the upload on to \(address). Upload to that address."
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
