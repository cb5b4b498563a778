import Foundation

/// One whole HTTP/1.x request.
package struct HTTPRequest: Hashable, Sendable {
  package var method: String

  /// The path and query as they were sent, percent escapes and all.
  package var target: String

  /// The digit after `HTTP/1.`.
  package var minorVersion = 1

  /// The fields by lower-case name; the values of a repeated field are joined by commas.
  package var headers: [String: String] = [:]

  package var body = Data()
}

extension HTTPRequest {
  /// The path without query and percent escapes, or nil if the escapes are broken.
  package var path: String? {
    target.prefix { $0 != "?" }.removingPercentEncoding
  }

  /// The plain file name that the path consists of, or nil if it could lead anywhere else.
  package var fileName: String? {
    // Scalars, because a slash with a combining mark is another `Character` but still a slash to the file system.
    guard let scalars = path?.unicodeScalars, scalars.first == "/" else { return nil }
    let name = String(scalars.dropFirst())
    guard (1...255).contains(name.utf8.count), name != ".", name != ".." else { return nil }
    let isPlain = name.unicodeScalars.allSatisfy { $0 != "/" && $0.properties.generalCategory != .control }
    return isPlain ? name : nil
  }

  /// True if the client wants to send further requests over the same connection.
  package var keepsConnection: Bool {
    minorVersion == 1 && !(headers["connection"] ?? "").lowercased().contains("close")
  }

  /// True if the client waits for `100 Continue` before it sends the body.
  package var expectsContinue: Bool {
    minorVersion == 1 && headers["expect"]?.lowercased() == "100-continue"
  }
}
