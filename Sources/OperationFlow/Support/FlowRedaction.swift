/// A rule for names whose values are shown as `<redacted>`, in addition to those of keys declared as sensitive.
///
/// A name is redacted if it ends in a phrase of the rule, such as `token`. The phrase may be followed by words about
/// the form of the value, or about which one it is, as in `tokenHeader` and `tokenForUploads`. A name of a number, such
/// as `maxTokens`, isn't redacted.
///
/// A name is split into its words, so that `accessToken`, `ACCESS_TOKEN` and `access-token` are the same. The values
/// are read and written as usual. The journal of a durable run treats them as those of sensitive keys, which are
/// encrypted if the run has a ``FlowSealing``, and otherwise not stored. An export to another engine does the same: it
/// is refused or sealed. The parts of the values that are hidden, and the places, are the same for both: see
/// ``FlowKey/init(_:sensitive:)``.
public struct FlowRedaction: Sendable {
  /// The words of each phrase, in lowercase, with spaces between them.
  private let phrases: Set<String>
  /// The names that are never redacted, as lowercase words with spaces between them.
  private let excluded: Set<String>
  /// The number of words of the longest phrase.
  private let longest: Int
  /// Names that are known to be shown; a run uses few names, but often.
  private let shown = Locked(Set<String>())

  private init(_ phrases: Set<String>, excluded: Set<String>) {
    self.phrases = phrases
    self.excluded = excluded
    longest = phrases.map { $0.split(separator: " ").count }.max() ?? 0
  }

  /// The words that may follow a phrase: the name is still about the same value.
  private static let followers: Set<String> = [
    "value", "values", "text", "string", "data", "bytes", "hash", "digest", "header", "headers", "field", "parameter",
    "param", "input", "confirmation", "repeat", "again", "copy", "old", "new", "current", "previous", "backup", "for",
    "of", "from", "by", "to", "in", "at", "on", "with", "and", "or",
  ]
  /// The words before a plural that make the name one of a number.
  private static let counters: Set<String> = [
    "max", "maximum", "min", "minimum", "total", "number", "num", "count", "remaining", "used", "input", "output",
    "prompt", "completion",
  ]

  var isEmpty: Bool { phrases.isEmpty }

  /// True if the rule equals the default rule of flows.
  var isStandard: Bool { phrases == Self.standard.phrases && excluded == Self.standard.excluded }

  /// Redacts only the keys that are declared as sensitive.
  public static let none = FlowRedaction([], excluded: [])

  /// Redacts common secrets: passwords, PINs, tokens, keys, credentials, authorization headers, cookies, cards.
  public static let standard = FlowRedaction(
    [
      "password", "passwords", "passwd", "pwd", "passphrase", "passcode", "pass word", "secret", "secrets", "token",
      "tokens", "jwt", "credential", "credentials", "authorization", "api key", "api keys", "apikey", "access key",
      "secret key", "private key", "signing key", "encryption key", "cookie", "cookies", "session id", "pin",
      "pin code", "otp", "card number", "security code", "cvv", "cvc",
    ], excluded: [])

  /// Returns a copy of the rule that redacts further names.
  ///
  /// - Parameter words: Words such as `iban`, or several in a row such as `social security number`; a name that ends in
  ///   them, in that order, is redacted.
  /// - Returns: The rule.
  public func adding(_ words: String...) -> FlowRedaction {
    let added = words.map { Self.words(of: $0).joined(separator: " ") }.filter { !$0.isEmpty }
    let excluded = self.excluded.filter { !added.contains($0) }
    return FlowRedaction(phrases.union(added), excluded: excluded)
  }

  /// Returns a copy of the rule without some names, whose values are then shown.
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
  /// - Returns: `true` if the rule redacts the values.
  public func redacts(_ name: String) -> Bool {
    if isEmpty { return false }
    if shown.withLock({ $0.contains(name) }) { return false }
    let words = Self.words(of: name)
    let isExcluded = excluded.contains(words.joined(separator: " "))
    if !isExcluded, words.indices.contains(where: { hasSecret(words, at: $0) }) { return true }
    shown.withLock { shown in
      // Names may be made from data, so their number is limited.
      if shown.count >= 10_000 { shown = [] }
      shown.insert(name)
    }
    return false
  }

  /// Returns true if a phrase is in a name's words at an index, and the name is about the value of the phrase.
  private func hasSecret(_ words: [String], at index: Int) -> Bool {
    (index..<min(index + longest, words.count)).contains { last in
      guard phrases.contains(words[index...last].joined(separator: " ")) else { return false }
      let next = last + 1
      guard next == words.count || Self.followers.contains(words[next]) else { return false }
      return !words[last].hasSuffix("s") || !words[..<index].contains(where: Self.counters.contains)
    }
  }

  /// Returns the words of a name in lowercase: they end before a capital letter, and at any character but a letter.
  private static func words(of name: String) -> [String] {
    var text = ""
    var before = Unicode.Scalar(32).properties
    let scalars = Array(name.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      let properties = scalar.properties
      // The last of several capitals begins the next word: `APIKey` is `api key`.
      let nextIsLower = index + 1 < scalars.count && scalars[index + 1].properties.isLowercase
      if properties.isUppercase, before.isLowercase || before.isAlphabetic && nextIsLower { text += " " }
      text += properties.isAlphabetic ? properties.lowercaseMapping : " "
      before = properties
    }
    return text.split(separator: " ").map(String.init)
  }
}
