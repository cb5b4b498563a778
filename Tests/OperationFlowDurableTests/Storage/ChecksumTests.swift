import Foundation
import OperationFlow
import OperationFlowDurable
import OperationFlowStorage
import TestSupport
import Testing

@Suite(.watched) struct ChecksumTests {
  @Test func `the checksum is that of zip files`() {
    #expect(CyclicChecksum.text(of: Data()) == "00000000")
    #expect(CyclicChecksum.text(of: Data("123456789".utf8)) == "cbf43926")
    #expect(CyclicChecksum.text(of: Data("The quick brown fox jumps over the lazy dog".utf8)) == "414fa339")
  }

  @Test func `the checksum is the same whichever way the bytes are taken`() {
    var generator = SeededGenerator(seed: TestSettings.firstSeed())
    for count in 0..<70 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
      let slowly = ~bytes.reduce(UInt32.max) { rest, byte in
        (0..<8).reduce(rest ^ UInt32(byte)) { rest, _ in rest & 1 == 0 ? rest >> 1 : 0xEDB8_8320 ^ (rest >> 1) }
      }
      #expect(bytes.withUnsafeBytes { CyclicChecksum.value(of: $0) } == slowly)
      #expect(Data([1] + bytes).dropFirst().withUnsafeBytes { CyclicChecksum.value(of: $0) } == slowly)
      for cut in 0...count {
        let head = bytes[..<cut].withUnsafeBytes { CyclicChecksum.value(of: $0) }
        #expect(bytes[cut...].withUnsafeBytes { CyclicChecksum.value(of: $0, after: head) } == slowly)
      }
    }
  }

  @Test func `the hash is SHA-256`() {
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    #expect(SecureHash.text(of: "".utf8) == empty)
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    #expect(SecureHash.text(of: "abc".utf8) == abc)
    let long = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
    #expect(
      SecureHash.text(of: long.utf8) == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    let million = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    #expect(SecureHash.text(of: repeatElement(UInt8(ascii: "a"), count: 1_000_000)) == million)
  }

  @Test func `inputs about the length of a block have the hashes that they should have`() {
    for (count, beginning) in [
      (54, "a3f01b6939256127"),
      (55, "9f4390f8d30c2dd9"),
      (56, "b35439a4ac6f0948"),
      (57, "f13b2d724659eb3b"),
      (63, "7d3e74a05d7db15b"),
      (64, "ffe054fe7ae0cb6d"),
      (65, "635361c48bb9eab1"),
      (119, "31eba51c313a5c08"),
      (120, "2f3d335432c70b58"),
      (128, "6836cf13bac400e9"),
    ] {
      #expect(SecureHash.text(of: repeatElement(UInt8(ascii: "a"), count: count)).hasPrefix(beginning))
    }
  }
}
