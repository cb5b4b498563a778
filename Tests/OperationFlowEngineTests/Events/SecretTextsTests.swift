import Foundation
import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct SecretTextsTests {
  @Test func `random texts are scrubbed as by hiding the longest secret at each place`() {
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

  /// Returns the expected text, by trying every secret at every place.
  private static func reference(_ text: String, _ secrets: [String]) -> String {
    let secrets = secrets.map { Array($0.utf8) }.filter { $0.count >= 6 }
    return hiding(text) { rest in secrets.filter { rest.starts(with: $0) }.map(\.count).max() ?? 0 }
  }

  /// Returns the text with `count(rest)` bytes hidden at each place; parts that overlap are hidden as one.
  private static func hiding(_ text: String, _ count: (ArraySlice<UInt8>) -> Int) -> String {
    let bytes = Array(text.utf8)
    var (result, end) = ([UInt8](), 0)
    for index in bytes.indices {
      let count = count(bytes[index...])
      if count > 0, index >= end { result += Array("<redacted>".utf8) }
      if count > 0 { end = max(end, index + count) }
      if index >= end { result.append(bytes[index]) }
    }
    return String(decoding: result, as: UTF8.self)
  }

  @Test(arguments: 0..<4)
  func `texts that begin alike, and texts that are cut, are scrubbed as by trying each`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<TestSettings.amount(60) {
      func text(_ count: ClosedRange<Int>) -> String {
        String(
          (0..<Int.random(in: count, using: &generator)).map { _ in "ab…".randomElement(using: &generator) ?? "a" })
      }
      let beginnings = ["", text(5...8), text(6...12)]
      let secrets = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
        (beginnings.randomElement(using: &generator) ?? "") + text(1...8)
      }
      var texts = SecretTexts()
      for secret in secrets { texts.insert(whole: secret) }
      let plain = (0..<6).map { _ in
        String((secrets.randomElement(using: &generator) ?? "").prefix(Int.random(in: 1...20, using: &generator)))
          + text(0...3)
      }.joined()
      #expect(texts.scrubbing(plain) == Self.cutReference(plain, secrets), "\(plain) of \(secrets)")
    }
  }

  /// Returns the expected text if texts may be cut.
  ///
  /// At each place, it hides the longest secret, or the longest beginning of a secret before a cut.
  private static func cutReference(_ text: String, _ secrets: [String]) -> String {
    let cut = Array("…".utf8)
    let secrets = secrets.map { Array($0.utf8) }.filter { $0.count >= 6 }
    return hiding(text) { rest in
      let whole = secrets.filter { rest.starts(with: $0) }.map(\.count).max() ?? 0
      let beginning = (6...max(6, rest.count)).last { count in
        count <= rest.count && rest.dropFirst(count).starts(with: cut)
          && secrets.contains { $0.starts(with: rest.prefix(count)) }
      }
      return max(whole, beginning ?? 0)
    }
  }

  @Test func `of thousands of secrets that begin alike, and come twice, each is found`() {
    let beginning = "eyJhbGciOiJIUzI1NiJ9.payload"
    var texts = SecretTexts()
    for number in (0..<1_000).reversed() + Array(0..<1_000) { texts.insert(whole: "\(beginning)\(number)") }
    for number in stride(from: 0, to: 1_000, by: 7) {
      #expect(texts.scrubbing("a \(beginning)\(number), b") == "a <redacted>, b")
    }
    #expect(texts.scrubbing("a \(beginning)77777") == "a <redacted>77")
    #expect(texts.scrubbing("a \(beginning)x") == "a \(beginning)x")
    #expect(texts.scrubbing("a \(beginning)…") == "a <redacted>…")
  }

  @Test func `the parts of a printed value are found as far as they can be told from labels`() {
    struct Login { let user = "ann\n\"b\""; let numbers = [1234567, 2]; let first: UInt64? = 7654321 }
    #expect(PrintedParts.of(ValueText.describe(Login())) == ["ann\n\"b\"", "1234567", "2", "7654321"])
    #expect(PrintedParts.of(#"["key": (1, Set(["x"]))]"#) == ["key", "1", "x"])
    #expect(PrintedParts.of("a text (with brackets)") == [] && PrintedParts.of("") == [])
    #expect(PrintedParts.of(#"["abc…"#) == ["abc"])
  }

  @Test func `the elements of an array and the parts of a value are secrets, short words are not`() {
    struct Account { let user = "anna-lena"; let isAdmin = true; let bytes: [UInt8] = [1, 2, 3] }
    var texts = SecretTexts()
    texts.insert(value: ["first-secret", "true"])
    texts.insert(value: Account())
    #expect(texts.scrubbing("first-secret of anna-lena is true") == "<redacted> of <redacted> is true")
    #expect(SecretTexts().isEmpty)
  }

  @Test func `once as many parts of a value are secrets as can be, no others are looked at`() {
    final class Looks { var count = 0 }
    struct Endless: CustomReflectable {
      let looks: Looks
      var customMirror: Mirror {
        Mirror(
          self,
          unlabeledChildren: (0..<90_000).lazy.map { number in
            looks.count += 1
            return "part \(number)"
          })
      }
    }
    let looks = Looks()
    #expect(SecretParts.texts(of: Endless(looks: looks)).count == SecretTexts.limit)
    #expect(looks.count < SecretTexts.limit + 10)
  }

  @Test func `texts that are too short to be hidden don't count among those that are`() async {
    struct Login { let numbers = Array(0..<30_000); let words = ["a", "b"]; let password = "topsecret1" }
    #expect(SecretParts.texts(of: Login()).contains("topsecret1"))
    #expect(SecretParts.texts(of: Array(repeating: "short", count: 20_000) + ["topsecret2"]) == ["topsecret2"])
    // Replaced values are stored as secrets. The counted numbers are too short to be secrets; the last value isn't.
    let key = FlowKey<Int>("count", sensitive: true)
    let outcome = await Flow().recording(.none).add("count") { context in
      for number in 0...SecretTexts.limit { context[key] = number }
      context[key] = 987_654_321
      context[key] = nil
      throw TestError(name: "not 987654321")
    }.run()
    #expect(!"\(outcome)".contains("987654321") && "\(outcome)".contains("not <redacted>"))
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
    // The quotation mark and the mark of the cut begin with the same bytes.
    #expect(texts.scrubbing("bad quoted …") == "bad <redacted>…")
    #expect(texts.scrubbing("header.pay, heade…") == "header.pay, heade…")
    #expect(texts.scrubbing("header.payload.sig") == "<redacted>.sig")
    // The secret of a long value is its text up to the cut, without the count of the bytes after it.
    let long = (1_000..<1_500).map(String.init).joined()
    texts.insert(ValueText.describe(long))
    #expect(texts.scrubbing("bad \(long)") == "bad <redacted>" + long.suffix(1_000))
    texts.insert("a text… (of 3 more bytes)")
    #expect(texts.scrubbing("a text… (of 3 more bytes)") == "<redacted>")
  }
}
