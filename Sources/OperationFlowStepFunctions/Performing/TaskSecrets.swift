import Foundation
import OperationFlow
import OperationFlowStorage

/// The texts of sensitive values of tasks, which no text may contain that leaves the worker, and no record.
struct TaskSecrets: Sendable {
  /// How much of a text is looked through: more than what is kept of it, so that no secret is cut in two.
  private static let readLimit = 64_000

  private(set) var texts = SecretTexts()

  init() {}

  /// Creates them from those values, as JSON, whose names are hidden.
  init(in values: [String: [UInt8]], isHidden: (String) -> Bool) {
    for (name, json) in values where isHidden(name) { insert(json) }
  }

  /// Adds the texts and numbers in a JSON value, however deep they are.
  mutating func insert(_ json: [UInt8]) {
    let value = StoredJSON(json)
    texts.insert(value: value)
    // What is often secret in an address.
    for text in value.texts where text.contains("://") { if let url = URL(string: text) { texts.insert(value: url) } }
  }

  /// Adds a value that may not be `Codable`.
  mutating func insert(value: any Sendable) {
    texts.insert(value: value)
    if let json = (try? StoredBytes(value))?.json { insert(json) }
  }

  /// The text of an error with every secret replaced, cut at a number of characters.
  func describe(error: any Error, limit: Int) -> String {
    guard !texts.isEmpty else { return ValueText.describe(error: error, limit: limit) }
    let text = texts.scrubbing(ValueText.describe(error: error, limit: max(limit, Self.readLimit)))
    return ValueText.cutCounting(text, limit: limit)
  }
}
