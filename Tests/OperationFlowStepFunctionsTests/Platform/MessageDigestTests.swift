import Foundation
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.watched) struct MessageDigestTests {
  /// A test case of RFC 4231.
  struct Case: Sendable {
    let key: Data
    let message: Data
    let code: String
  }

  static let cases = [
    Case(
      key: Data(repeating: 0x0b, count: 20), message: Data("Hi There".utf8),
      code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    Case(
      key: Data("Jefe".utf8), message: Data("what do ya want for nothing?".utf8),
      code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    Case(
      key: Data(repeating: 0xaa, count: 20), message: Data(repeating: 0xdd, count: 50),
      code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    Case(
      key: Data(1...25), message: Data(repeating: 0xcd, count: 50),
      code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    Case(
      key: Data(repeating: 0xaa, count: 131),
      message: Data("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    Case(
      key: Data(repeating: 0xaa, count: 131),
      message: Data(
        ("This is a test using a larger than block-size key and a larger than block-size data. The key needs to be "
          + "hashed before being used by the HMAC algorithm.").utf8),
      code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
  ]

  @Test(arguments: cases) func `authentication codes are those of the published test cases`(example: Case) {
    #expect(MessageDigest.hexadecimal(MessageDigest.hmac(example.message, key: example.key)) == example.code)
    #expect(MessageDigest.hexadecimal(MessageDigest.portableHMAC(example.message, key: example.key)) == example.code)
  }

  @Test func `hashes are those of the published examples`() {
    #expect(
      MessageDigest.sha256(Data("abc".utf8)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(MessageDigest.sha256(Data()) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }
}
