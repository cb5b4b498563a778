import Foundation
import OperationFlow
import OperationFlowStorage

#if canImport(CryptoKit)
  import CryptoKit
#endif

/// SHA-256 (FIPS 180-4), and HMAC, the authentication code based on it (RFC 2104).
package enum MessageDigest {
  /// Returns the hash as 64 hexadecimal digits.
  package static func sha256(_ data: Data) -> String {
    #if canImport(CryptoKit)
      hexadecimal(SHA256.hash(data: data))
    #else
      SecureHash.text(of: data)
    #endif
  }

  /// Returns the authentication code of a message; 32 bytes.
  package static func hmac(_ message: Data, key: Data) -> Data {
    #if canImport(CryptoKit)
      Data(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    #else
      portableHMAC(message, key: key)
    #endif
  }

  /// Returns the same code as ``hmac(_:key:)``, without CryptoKit.
  package static func portableHMAC(_ message: Data, key: Data) -> Data {
    let blockSize = 64
    var block = key.count > blockSize ? SecureHash.bytes(of: key) : Array(key)
    block += repeatElement(0, count: blockSize - block.count)
    let inner = SecureHash.bytes(of: block.map { $0 ^ 0x36 } + message)
    return Data(SecureHash.bytes(of: block.map { $0 ^ 0x5c } + inner))
  }

  /// Returns bytes as hexadecimal digits.
  package static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
