import Foundation

/// The texts of sensitive values of tasks, which no text may contain that leaves the worker, and no record.
package struct TaskSecrets: Sendable {
  /// How much of a text is looked through: more than what is kept of it, so that no secret is cut in two.
  private static let readLimit = 64_000

  fileprivate var texts = SecretTexts()

  package init() {}

  /// Creates them from those values, as JSON, whose names are sensitive.
  init(in values: [String: [UInt8]], _ sensitiveNames: Set<String>) {
    for (name, json) in values where sensitiveNames.contains(name) { insert(json) }
  }

  /// Adds the texts and numbers in a JSON value, however deep they are.
  package mutating func insert(_ json: [UInt8]) {
    // In an array, because not every reader takes a value alone.
    guard let value = try? JSONSerialization.jsonObject(with: Data([0x5B] + json + [0x5D])) else { return }
    var waiting = [value]
    while let value = waiting.popLast() {
      switch value {
      case let text as String: texts.insert(text)
      case let elements as [Any]: waiting += elements
      case let members as [String: Any]: waiting += members.values
      case let number as NSNumber: texts.insert("\(number)")
      default: break
      }
    }
  }

  /// Adds a value that may not be `Codable`.
  mutating func insert(value: any Sendable) {
    texts.insert(value: value)
    if let json = (try? StoredBytes(value))?.json { insert(json) }
  }

  /// The text of an error with every secret replaced, cut at a number of characters.
  package func describe(error: any Error, limit: Int) -> String {
    guard !texts.isEmpty else { return ValueText.describe(error: error, limit: limit) }
    let text = texts.scrubbing(ValueText.describe(error: error, limit: max(limit, Self.readLimit)))
    return ValueText.cutCounting(text, limit: limit)
  }
}

extension FlowRecord {
  /// The record with every secret replaced.
  package func scrubbing(_ secrets: TaskSecrets) -> FlowRecord { scrubbing(secrets.texts) }
}
