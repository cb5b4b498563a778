/// A rule for names whose values are shown as `<redacted>`, in addition to those of keys declared as sensitive.
///
/// A name is redacted if it ends in a phrase of the rule, such as `token`, or if what follows says only in which form the
/// value is, or which one it is, as in `tokenHeader` and `tokenForUploads`; but not if it counts, as in `maxTokens`.
///
/// A name is split into its words, so that `accessToken`, `ACCESS_TOKEN` and `access-token` are the same. The values are
/// read and written as ever; the journal of a durable run treats them as those of sensitive keys, which are encrypted if
/// the run has a ``FlowSealing``, and otherwise not stored, and so does an export to another engine, which is refused or
/// sealed. What is hidden of the values, and where, is the same for both: see ``FlowKey/init(_:sensitive:)``.
public struct FlowRedaction: Sendable {
  /// The words of each phrase, in lowercase, with spaces between them.
  private let phrases: Set<String>
  /// The words of the names that are never redacted, written alike.
  private let excluded: Set<String>
  /// The number of words of the longest phrase.
  private let longest: Int
  /// Names that were found to be shown, because a run uses few of them often.
  private let shown = Locked(Set<String>())

  private init(_ phrases: Set<String>, excluded: Set<String>) {
    self.phrases = phrases
    self.excluded = excluded
    longest = phrases.map { $0.split(separator: " ").count }.max() ?? 0
  }

  /// The words that may follow a phrase: what comes after them is about the same value.
  private static let followers: Set<String> = [
    "value", "values", "text", "string", "data", "bytes", "hash", "digest", "header", "headers", "field", "parameter",
    "param", "input", "confirmation", "repeat", "again", "copy", "old", "new", "current", "previous", "backup", "for",
    "of", "from", "by", "to", "in", "at", "on", "with", "and", "or",
  ]
  /// The words before a plural that make it a number.
  private static let counters: Set<String> = [
    "max", "maximum", "min", "minimum", "total", "number", "num", "count", "remaining", "used", "input", "output",
    "prompt", "completion",
  ]

  var isEmpty: Bool { phrases.isEmpty }

  /// True if it redacts what that of a flow redacts which is given no other.
  var isStandard: Bool { phrases == Self.standard.phrases && excluded == Self.standard.excluded }

  /// Redacts nothing but the keys that are declared to be sensitive.
  public static let none = FlowRedaction([], excluded: [])

  /// Redacts common secrets: passwords, PINs, tokens, keys, credentials, authorization headers, cookies, cards.
  public static let standard = FlowRedaction(
    [
      "password", "passwords", "passwd", "pwd", "passphrase", "passcode", "pass word", "secret", "secrets", "token",
      "tokens", "jwt", "credential", "credentials", "authorization", "api key", "api keys", "apikey", "access key",
      "secret key", "private key", "signing key", "encryption key", "cookie", "cookies", "session id", "pin",
      "pin code", "otp", "card number", "security code", "cvv", "cvc",
    ], excluded: [])

  /// Returns the same rule for further names.
  ///
  /// - Parameter words: Words such as `iban`, or several in a row such as `social security number`; a name that ends in
  ///   them, in that order, is redacted.
  /// - Returns: The rule.
  public func adding(_ words: String...) -> FlowRedaction {
    let added = words.map { Self.words(of: $0).joined(separator: " ") }.filter { !$0.isEmpty }
    let excluded = self.excluded.filter { !added.contains($0) }
    return FlowRedaction(phrases.union(added), excluded: excluded)
  }

  /// Returns the same rule without some names, whose values are then shown.
  ///
  /// - Parameter names: The names, such as `pin` or `mapPin`; other names that end in their words are still redacted.
  /// - Returns: The rule.
  public func excluding(_ names: String...) -> FlowRedaction {
    let excluded = names.map { Self.words(of: $0).joined(separator: " ") }
    return FlowRedaction(phrases, excluded: self.excluded.union(excluded))
  }

  /// Returns true if the values of a name are redacted.
  ///
  /// - Parameter name: The name of a key, a header field or a parameter.
  /// - Returns: Whether the rule redacts them.
  public func redacts(_ name: String) -> Bool {
    if isEmpty { return false }
    if shown.withLock({ $0.contains(name) }) { return false }
    let words = Self.words(of: name)
    let isExcluded = excluded.contains(words.joined(separator: " "))
    if !isExcluded, words.indices.contains(where: { hasSecret(words, at: $0) }) { return true }
    shown.withLock { shown in
      // Names may come from data, so they are not kept without a limit.
      if shown.count >= 10_000 { shown = [] }
      shown.insert(name)
    }
    return false
  }

  /// Whether a phrase is in a name's words at an index, and the name is about what the phrase names.
  private func hasSecret(_ words: [String], at index: Int) -> Bool {
    (index..<min(index + longest, words.count)).contains { last in
      guard phrases.contains(words[index...last].joined(separator: " ")) else { return false }
      let next = last + 1
      guard next == words.count || Self.followers.contains(words[next]) else { return false }
      return !words[last].hasSuffix("s") || !words[..<index].contains(where: Self.counters.contains)
    }
  }

  /// The words of a name in lowercase: they end before a capital letter, and at anything that isn't a letter.
  private static func words(of name: String) -> [String] {
    var text = ""
    var before = Unicode.Scalar(32).properties
    let scalars = Array(name.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      let properties = scalar.properties
      // The last capital of several begins the next word: `APIKey` is `api key`.
      let nextIsLower = index + 1 < scalars.count && scalars[index + 1].properties.isLowercase
      if properties.isUppercase, before.isLowercase || before.isAlphabetic && nextIsLower { text += " " }
      text += properties.isAlphabetic ? properties.lowercaseMapping : " "
      before = properties
    }
    return text.split(separator: " ").map(String.init)
  }
}
