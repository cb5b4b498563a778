import Foundation

/// The connection to one client, from its first request to its last.
struct HTTPConnection: Sendable {
  let socket: Socket
  let limits: HTTPLimits
  /// Decides as soon as a request's header has arrived whether the request meets a fault.
  var fault: @Sendable (HTTPRequest) -> ConnectionFault? = { _ in nil }
  /// Starts a restart of the receiver, without waiting for it.
  var restart: @Sendable () -> Void = {}
  let respond: @Sendable (HTTPRequest) -> HTTPResponse

  /// The state of a connection after the bytes that have arrived.
  private enum Continuation {
    case awaitsMore
    /// The last answer was sent.
    case ends
    /// The connection is cut before a request or an answer is complete.
    case isCut
  }

  /// Answers requests in their order until either side ends the connection; blocks its thread.
  func serve() {
    var parser = HTTPRequestParser(limits: limits)
    var current: ConnectionFault?
    while let bytes = socket.receive() {
      parser.append(bytes)
      switch answerAll(in: &parser, fault: &current) {
      case .awaitsMore: continue
      case .ends: return socket.finishSending()
      case .isCut: return
      }
    }
  }

  /// Answers the requests that have arrived; `current` is the fault of the unfinished request.
  private func answerAll(in parser: inout HTTPRequestParser, fault current: inout ConnectionFault?) -> Continuation {
    while true {
      switch parser.next() {
      case .needsMore:
        return .awaitsMore
      case .head(let request):
        current = fault(request)
        if begin(current, of: request, readAhead: parser.unreadCount) { return .isCut }
      case .expectsContinue:
        guard socket.sendAll(HTTPResponse.continueBytes) else { return .ends }
      case .request(let request):
        let isKept = request.keepsConnection
        var response = response(to: request, fault: current)
        if case .cutsResponse(let part) = current {
          // An answer without a body has no middle. The header is always sent: on Linux, a URLSession that gets a part
          // of a header stops the whole process.
          if response.body.isEmpty { response.body = Data(repeating: UInt8(ascii: "."), count: 100) }
          let bytes = response.bytes(answering: request.method, keepingConnection: isKept)
          _ = socket.sendAll(bytes.dropLast(max(1, Int(Double(response.body.count) * (1 - part)))))
          return .isCut
        }
        guard socket.sendAll(response.bytes(answering: request.method, keepingConnection: isKept)), isKept else {
          return .ends
        }
      case .failure(let error):
        let response = HTTPResponse.text("\(error)", status: error.status)
        _ = socket.sendAll(response.bytes(answering: "", keepingConnection: false))
        return .ends
      }
    }
  }

  private func response(to request: HTTPRequest, fault: ConnectionFault?) -> HTTPResponse {
    guard case .answers(let response) = fault else { return respond(request) }
    return response
  }

  /// Performs the part of a fault before the body is read; returns true if the connection is to be cut.
  private func begin(_ fault: ConnectionFault?, of request: HTTPRequest, readAhead: Int) -> Bool {
    switch fault {
    case nil, .answers, .cutsResponse:
      return false
    case .stalls:
      // Ends when the client disconnects, or the receiver stops.
      while socket.receive() != nil {}
    case .cutsRequest(let part):
      let length = Int(request.headers["content-length"] ?? "") ?? 0
      var missing = Int(Double(length) * part) - readAhead
      if missing > 0, request.expectsContinue { _ = socket.sendAll(HTTPResponse.continueBytes) }
      while missing > 0, let bytes = socket.receive() { missing -= bytes.count }
      socket.resetWhenClosed()
    case .restarts:
      restart()
    }
    return true
  }
}
