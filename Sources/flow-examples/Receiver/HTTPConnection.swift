import Foundation

/// The conversation with one client, from its first request to its last.
struct HTTPConnection: Sendable {
  let socket: Socket
  let limits: HTTPLimits
  let respond: @Sendable (HTTPRequest) -> HTTPResponse

  /// Answers requests in their order until either side ends the conversation; blocks its thread.
  func serve() {
    var parser = HTTPRequestParser(limits: limits)
    while let bytes = socket.receive() {
      parser.append(bytes)
      guard answerAll(in: &parser) else { return socket.finishSending() }
    }
  }

  /// Answers what has arrived; returns false when the conversation is over.
  private func answerAll(in parser: inout HTTPRequestParser) -> Bool {
    while true {
      switch parser.next() {
      case .needsMore:
        return true
      case .expectsContinue:
        guard socket.sendAll(HTTPResponse.continueBytes) else { return false }
      case .request(let request):
        let isKept = request.keepsConnection
        let response = respond(request).bytes(answering: request.method, keepingConnection: isKept)
        guard socket.sendAll(response), isKept else { return false }
      case .failure(let error):
        let response = HTTPResponse.text("\(error)", status: error.status)
        _ = socket.sendAll(response.bytes(answering: "", keepingConnection: false))
        return false
      }
    }
  }
}
