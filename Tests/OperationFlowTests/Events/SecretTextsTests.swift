import Foundation
import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct SecretTextsTests {
  @Test func `random texts are scrubbed as by replacing the longest secret at each place`() {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      func text(_ count: Int) -> String {
        String((0..<count).map { _ in "abé".randomElement(using: &generator) ?? "a" })
      }
      let secrets = (0..<3).map { _ in text(Int.random(in: 3...9, using: &generator)) }
      var texts = SecretTexts()
      for secret in secrets { texts.insert(secret) }
      let plain = text(Int.random(in: 0...60, using: &generator))
      #expect(texts.scrubbing(plain) == Self.reference(plain, secrets), "\(plain) of \(secrets)")
    }
  }

  /// What the texts have to be, by trying every secret at every place.
  private static func reference(_ text: String, _ secrets: [String]) -> String {
    var (rest, result) = (Array(text.utf8)[...], [UInt8]())
    let secrets = secrets.map { Array($0.utf8) }.filter { $0.count >= 6 }.sorted { $0.count > $1.count }
    while let first = rest.first {
      if let found = secrets.first(where: { rest.starts(with: $0) }) {
        result += Array("<redacted>".utf8)
        rest = rest.dropFirst(found.count)
      } else {
        result.append(first)
        rest = rest.dropFirst()
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  @Test func `the elements of an array and the parts of a value are secrets, short words are not`() {
    struct Account { let user = "anna-lena"; let isAdmin = true; let bytes: [UInt8] = [1, 2, 3] }
    var texts = SecretTexts()
    texts.insert(value: ["first-secret", "true"])
    texts.insert(value: Account())
    #expect(texts.scrubbing("first-secret of anna-lena is true") == "<redacted> of <redacted> is true")
    #expect(SecretTexts().isEmpty)
  }

  @Test func `a secret is found as it is printed within another value, and in a line`() {
    var texts = SecretTexts()
    texts.insert("pa\"ss\\word-1")
    texts.insert("two\nlines\u{85}")
    #expect(texts.scrubbing(#"rejected(password: "pa\"ss\\word-1")"#) == #"rejected(password: "<redacted>")"#)
    #expect(texts.scrubbing(#"in a line: two\nlines\u{85}."#) == "in a line: <redacted>.")
    #expect(texts.scrubbing("as it is: two\nlines\u{85}.") == "as it is: <redacted>.")
    #expect(texts.scrubbing("\(["pa\"ss\\word-1"])") == #"["<redacted>"]"#)
  }

  @Test func `a secret whose end was cut off is found, and its beginning elsewhere is not`() {
    var texts = SecretTexts()
    texts.insert("header.payload.signature")
    texts.insert("header.payload")
    texts.insert("quoted “text”")
    #expect(texts.scrubbing("bad header.payload.sig… (610 more bytes)") == "bad <redacted>… (610 more bytes)")
    #expect(texts.scrubbing("bad header…") == "bad <redacted>…")
    // The first bytes of the quotation mark are those of the mark of the cut.
    #expect(texts.scrubbing("bad quoted …") == "bad <redacted>…")
    #expect(texts.scrubbing("header.pay, heade…") == "header.pay, heade…")
    #expect(texts.scrubbing("header.payload.sig") == "<redacted>.sig")
  }
}
