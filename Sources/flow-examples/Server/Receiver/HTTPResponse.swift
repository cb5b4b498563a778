import Foundation

/// One HTTP/1.1 answer.
package struct HTTPResponse: Hashable, Sendable {
  package var status: Int
  package var headers: [String: String] = [:]
  package var body = Data()

  package init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// A message for people.
  package static func text(_ message: String, status: Int) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data((message + "\n").utf8))
  }

  /// A value for programs, its keys sorted.
  package static func json(_ value: some Encodable, status: Int = 200) throws -> HTTPResponse {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return HTTPResponse(
      status: status, headers: ["Content-Type": "application/json"], body: try encoder.encode(value))
  }

  /// The bytes that make a waiting client send its body.
  package static let continueBytes = Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  /// Returns the answer as bytes, in reply to a request with the given method.
  package func bytes(answering method: String, keepingConnection: Bool) -> Data {
    var lines = ["HTTP/1.1 \(status) \(Self.reasons[status] ?? "")"]
    lines += headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    // RFC 9110, section 8.6: an answer without content has no length either.
    let hasContent = status != 204 && status != 304
    if hasContent { lines.append("Content-Length: \(body.count)") }
    if !keepingConnection { lines.append("Connection: close") }
    let head = Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    return hasContent && method != "HEAD" ? head + body : head
  }

  private static let reasons = [
    200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 304: "Not Modified",
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    409: "Conflict", 413: "Content Too Large", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
    500: "Internal Server Error", 501: "Not Implemented", 503: "Service Unavailable",
    505: "HTTP Version Not Supported", 507: "Insufficient Storage",
  ]
}
