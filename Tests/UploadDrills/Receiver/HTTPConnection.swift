import Foundation

/// The conversation with one client, from its first request to its last.
struct HTTPConnection: Sendable {
  let socket: Socket
  let limits: HTTPLimits
  /// Decides whether a request is treated badly, as soon as its header has come.
  var fault: @Sendable (HTTPRequest) -> ConnectionFault? = { _ in nil }
  /// Begins a restart of the receiver, without waiting for it.
  var restart: @Sendable () -> Void = {}
  let respond: @Sendable (HTTPRequest) -> HTTPResponse

  /// The state of a conversation after what has arrived.
  private enum Continuation {
    case awaitsMore
    /// The last answer has been sent.
    case ends
    /// It is cut, in the middle of something.
    case isCut
  }

  /// Answers requests in their order until either side ends the conversation; blocks its thread.
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

  /// Answers what has arrived; the fault is that of the request that is being read.
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

  /// Does what a fault does before the body is read; returns whether the conversation is cut.
  private func begin(_ fault: ConnectionFault?, of request: HTTPRequest, readAhead: Int) -> Bool {
    switch fault {
    case nil, .answers, .cutsResponse:
      return false
    case .stalls:
      // Until the client hangs up, or the receiver stops.
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
