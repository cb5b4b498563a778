/// An error of the system, which couldn't provide a socket.
package enum SocketError: Error, Hashable, CustomStringConvertible {
  case refused(call: String, reason: String)

  package var description: String {
    switch self {
    case .refused(let call, let reason):
      "The system refused \(call)() on 127.0.0.1: \(reason). Let the process open loopback sockets, or close some."
    }
  }
}
