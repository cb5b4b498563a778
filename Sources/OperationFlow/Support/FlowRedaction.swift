/// Which values are shown as `<redacted>` because of their names, in addition to those of keys declared as sensitive.
///
/// A name is split into its words, so that `accessToken`, `ACCESS_TOKEN` and `access-token` are the same. The values are
/// read and written as ever; the journal of a durable run treats them as those of sensitive keys, which are encrypted if
/// the run has a ``FlowSealing``, and otherwise not stored.
public struct FlowRedaction: Sendable {
  /// Sequences of words in lowercase, by their first word.
  private var phrases: [String: [[String]]] = [:]
  /// What has been found for names, because a run uses few of them often.
  private var known = Locked([String: Bool]())

  private init() {}

  /// Whether no name is redacted.
  var isEmpty: Bool { phrases.isEmpty }

  /// Redacts nothing but the keys that are declared to be sensitive.
  public static let none = FlowRedaction()

  /// Redacts what is usually secret: passwords, tokens, secrets, credentials, API keys, authorization headers, cookies.
  public static let standard = FlowRedaction.none.adding(
    "password", "passwords", "passwd", "pwd", "passphrase", "passcode", "pass word", "secret", "secrets", "token",
    "tokens", "credential", "credentials", "authorization", "api key", "api keys", "apikey", "access key",
    "private key", "signing key", "encryption key", "cookie", "cookies", "session id")

  /// Returns the same rule for further names.
  ///
  /// - Parameter words: Words such as `pin`, or several in a row such as `social security number`; a name that contains
  ///   them, in that order, is redacted.
  /// - Returns: The rule.
  public func adding(_ words: String...) -> FlowRedaction {
    var rule = self
    rule.known = Locked([:])
    for text in words {
      let phrase = Self.words(of: text)
      if let first = phrase.first { rule.phrases[first, default: []].append(phrase) }
    }
    return rule
  }

  /// Whether the values of a name are redacted.
  ///
  /// - Parameter name: The name of a key, a header field or a parameter.
  /// - Returns: Whether one of the rule's words is in the name.
  public func redacts(_ name: String) -> Bool {
    if phrases.isEmpty { return false }
    if let isRedacted = known.withLock({ $0[name] }) { return isRedacted }
    let words = Self.words(of: name)
    let isRedacted = words.indices.contains { index in
      phrases[words[index]]?.contains { words[index...].starts(with: $0) } ?? false
    }
    known.withLock { known in
      // Names may come from data, so they are not kept without a limit.
      if known.count >= 1_000 { known = [:] }
      known[name] = isRedacted
    }
    return isRedacted
  }

  /// The words of a name in lowercase: they end before a capital letter, and at anything that isn't a letter.
  private static func words(of name: String) -> [String] {
    var (words, word) = ([String](), "")
    var wasLower = false
    let scalars = Array(name.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      let properties = scalar.properties
      guard properties.isAlphabetic else {
        if !word.isEmpty { words.append(word) }
        (word, wasLower) = ("", false)
        continue
      }
      // The last capital of several begins the next word: `APIKey` is `api key`.
      let nextIsLower = index + 1 < scalars.count && scalars[index + 1].properties.isLowercase
      if properties.isUppercase, !word.isEmpty, wasLower || nextIsLower {
        words.append(word)
        word = ""
      }
      word += properties.lowercaseMapping
      wasLower = properties.isLowercase
    }
    return word.isEmpty ? words : words + [word]
  }
}
