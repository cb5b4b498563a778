/// A fault of a receiver on one request, instead of storing the file and confirming it.
enum ConnectionFault: Hashable, Sendable {
  /// Takes the whole request, stores nothing, and gives this answer.
  case answers(HTTPResponse)
  /// Answers nothing, until the client gives up.
  case stalls
  /// Hangs up after this part of the request's body, from 0 to 1.
  case cutsRequest(after: Double)
  /// Stores the file, and hangs up after this part of the answer's body, from 0 up to 1.
  case cutsResponse(after: Double)
  /// Closes every connection and the listening socket, and listens again.
  case restarts
}
