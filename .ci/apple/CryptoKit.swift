// What the library uses of CryptoKit, so that its branches for Apple's platforms can be read on Linux. It does nothing.
import Foundation

public struct SHA256Digest: Sequence, Sendable {
  public func makeIterator() -> IndexingIterator<[UInt8]> { [UInt8]().makeIterator() }
}

public enum SHA256 {
  public static func hash<Bytes: DataProtocol>(data: Bytes) -> SHA256Digest { SHA256Digest() }
}

public struct SymmetricKey: Sendable {
  public init<Bytes: ContiguousBytes>(data: Bytes) {}
}

public struct HashedAuthenticationCode: Sequence, Sendable {
  public func makeIterator() -> IndexingIterator<[UInt8]> { [UInt8]().makeIterator() }
}

public enum HMAC<Hash> {
  public static func authenticationCode<Bytes: DataProtocol>(
    for data: Bytes, using key: SymmetricKey
  ) -> HashedAuthenticationCode { HashedAuthenticationCode() }
}
