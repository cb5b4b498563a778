/// A fault of a receiver in one request, instead of storing the file and confirming it.
package enum ConnectionFault: Hashable, Sendable {
  /// Reads the whole request, stores nothing, and sends this answer.
  case answers(HTTPResponse)
  /// Sends no answer until the client disconnects.
  case stalls
  /// Disconnects after this part of the request's body, from 0 to 1.
  case cutsRequest(after: Double)
  /// Stores the file, and disconnects after this part of the answer's body, from 0 up to 1.
  case cutsResponse(after: Double)
  /// Closes every connection and the listening socket, and listens again.
  case restarts
}
