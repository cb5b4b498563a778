import Foundation
import OperationFlow
import OperationFlowStorage

/// The texts of sensitive values of tasks; no record contains them, and no text that leaves the worker.
struct TaskSecrets: Sendable {
  /// The number of characters that are searched: more than a text's limit, so that no secret is cut in two.
  private static let readLimit = 64_000

  private(set) var texts = SecretTexts()

  init() {}

  /// Creates the secrets from those JSON values whose names are hidden.
  init(in values: [String: [UInt8]], isHidden: (String) -> Bool) {
    for (name, json) in values where isHidden(name) { insert(json) }
  }

  /// Adds the texts and numbers in a JSON value, at any depth.
  mutating func insert(_ json: [UInt8]) {
    let value = StoredJSON(json)
    texts.insert(value: value)
    // Parts of a URL, such as its password, are often secret.
    for text in value.texts where text.contains("://") { if let url = URL(string: text) { texts.insert(value: url) } }
  }

  /// Adds a value that may not be `Codable`.
  mutating func insert(value: any Sendable) {
    texts.insert(value: value)
    if let json = (try? StoredBytes(value))?.json { insert(json) }
  }

  /// Returns the text of an error with every secret replaced, cut to a number of characters.
  func describe(error: any Error, limit: Int) -> String {
    guard !texts.isEmpty else { return ValueText.describe(error: error, limit: limit) }
    let text = texts.scrubbing(ValueText.describe(error: error, limit: max(limit, Self.readLimit)))
    return ValueText.cutCounting(text, limit: limit)
  }
}
