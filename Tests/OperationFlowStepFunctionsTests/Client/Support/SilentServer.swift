import Foundation

/// A server on this machine that accepts connections and never answers.
final class SilentServer: Sendable {
  let port: UInt16
  private let descriptor: Int32

  /// Starts the server at a free port.
  init() throws {
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    descriptor = socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    // The system accepts connections by itself once a socket listens.
    let isListening = withUnsafeMutableBytes(of: &address) { bytes in
      let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
      return bind(descriptor, address, size) == 0 && listen(descriptor, 8) == 0
        && address.map { getsockname(descriptor, $0, &size) } == 0
    }
    port = UInt16(bigEndian: address.sin_port)
    if !isListening { throw CocoaError(.featureUnsupported) }
  }

  deinit { close(descriptor) }
}
