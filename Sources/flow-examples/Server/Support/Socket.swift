import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A TCP socket on the loopback interface; its last owner closes it.
struct Socket: Hashable, Sendable {
  let descriptor: Int32

  /// Opens a non-blocking socket that listens on 127.0.0.1, at a port that the system chooses if `port` is 0.
  static func listeningOnLoopback(port: UInt16 = 0) throws(SocketError) -> (socket: Socket, port: UInt16) {
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let listener = Socket(descriptor: try checked("socket", socket(AF_INET, kind, 0)))
    do throws(SocketError) {
      try listener.setBlocking(false)
      // Without this option, the port can't be used again until the system forgets the connections of this socket.
      try listener.setOption(SOL_SOCKET, SO_REUSEADDR, to: Int32(1))
      return (listener, try listener.bindToLoopback(port: port))
    } catch {
      listener.closeDescriptor()
      throw error
    }
  }

  /// Accepts the next waiting client as a blocking socket, or returns nil if none is waiting.
  func acceptConnection(idleSeconds: Int) -> Socket? {
    while true {
      let accepted = Socket(descriptor: accept(descriptor, nil, nil))
      guard accepted.descriptor >= 0 else {
        if errno == EINTR || errno == ECONNABORTED { continue }
        return nil
      }
      do throws(SocketError) {
        try accepted.setBlocking(true)
        try accepted.setTimeout(seconds: idleSeconds)
        // An answer is one write; waiting for the client's acknowledgement would only delay it.
        try accepted.setOption(Int32(IPPROTO_TCP), TCP_NODELAY, to: Int32(1))
        #if canImport(Darwin)
          try accepted.setOption(SOL_SOCKET, SO_NOSIGPIPE, to: Int32(1))
        #endif
        return accepted
      } catch {
        // The client has already disconnected; the next one may be waiting.
        accepted.closeDescriptor()
      }
    }
  }

  /// Waits for bytes; returns nil if the client has finished, failed or stayed silent for too long.
  func receive() -> Data? {
    withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 16) { buffer in
      while true {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count > 0 { return Data(buffer.prefix(count)) }
        if count == 0 || errno != EINTR { return nil }
      }
    }
  }

  /// Sends every byte; returns false if the client has disconnected or does not read.
  func sendAll(_ bytes: Data) -> Bool {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    return bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        let count = send(descriptor, part.baseAddress, part.count, flags)
        if count > 0 { rest = rest.dropFirst(count) } else if count == 0 || errno != EINTR { return false }
      }
      return true
    }
  }

  /// Ends the answer, and reads for a moment longer.
  func finishSending() {
    // Closing with unread bytes resets the connection, and the client would lose the answer that it was sent.
    shutdown(descriptor, Int32(SHUT_WR))
    let patience = 2
    guard (try? setTimeout(seconds: patience)) != nil else { return }
    let end = ContinuousClock.now + .seconds(patience)
    while ContinuousClock.now < end, receive() != nil {}
  }

  /// Wakes the threads that wait in `receive` or `sendAll`.
  ///
  /// They still have to close the descriptor.
  func interrupt() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Makes closing drop the connection immediately, so that the client gets an error instead of the end of the data.
  func resetWhenClosed() {
    try? setOption(SOL_SOCKET, SO_LINGER, to: linger(l_onoff: 1, l_linger: 0))
  }

  func closeDescriptor() {
    close(descriptor)
  }
}

extension Socket {
  private func bindToLoopback(port: UInt16) throws(SocketError) -> UInt16 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withGenericAddress(of: &address) { bind(descriptor, $0, length) }
    try Self.checked("bind", bound)
    try Self.checked("listen", listen(descriptor, SOMAXCONN))
    let named = withGenericAddress(of: &address) { getsockname(descriptor, $0, &length) }
    try Self.checked("getsockname", named)
    return UInt16(bigEndian: address.sin_port)
  }

  private func withGenericAddress<Result>(
    of address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
  ) -> Result {
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
    }
  }

  private func setBlocking(_ isBlocking: Bool) throws(SocketError) {
    // Set in both cases: accepted sockets inherit the listener's mode on BSD systems, but not on Linux.
    let flags = try Self.checked("fcntl", fcntl(descriptor, F_GETFL))
    try Self.checked("fcntl", fcntl(descriptor, F_SETFL, isBlocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK))
    // A child process must not inherit the socket, which would stay open as long as the child runs.
    try Self.checked("fcntl", fcntl(descriptor, F_SETFD, FD_CLOEXEC))
  }

  private func setTimeout(seconds: Int) throws(SocketError) {
    let timeout = timeval(tv_sec: seconds, tv_usec: 0)
    try setOption(SOL_SOCKET, SO_RCVTIMEO, to: timeout)
    try setOption(SOL_SOCKET, SO_SNDTIMEO, to: timeout)
  }

  private func setOption<Value: BitwiseCopyable>(
    _ level: Int32, _ name: Int32, to value: Value
  ) throws(SocketError) {
    let status = withUnsafeBytes(of: value) {
      setsockopt(descriptor, level, name, $0.baseAddress, socklen_t($0.count))
    }
    try Self.checked("setsockopt", status)
  }

  @discardableResult
  private static func checked(_ call: String, _ status: Int32) throws(SocketError) -> Int32 {
    guard status >= 0 else { throw .refused(call: call, reason: String(cString: strerror(errno))) }
    return status
  }
}
