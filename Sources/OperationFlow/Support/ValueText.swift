import Foundation

/// The text of a value, as a record keeps it: bounded, so that no record grows with the data.
package enum ValueText {
  /// How many characters of a value's text a record keeps.
  package static let limit = 1_000
  /// What stands for the value of a key that is marked sensitive.
  static let redacted = "<redacted>"

  /// The text of `value`, cut at `limit` characters; `Data` as its size, and what says so itself as it says.
  static func describe(_ value: Any, limit: Int = limit) -> String {
    switch value {
    case let text as String: cut(text, limit: limit)
    case let data as Data: "<\(data.count) bytes>"
    case let elements as any ArrayElements: list(elements, limit: limit)
    case let value as any CustomRecordStringConvertible: cut(value.recordDescription, limit: limit)
    default: cut(String(describing: value), limit: limit)
    }
  }

  /// An array's text is made element by element and ends with the bound: a million elements cost no more than a few.
  private static func list(_ elements: any ArrayElements, limit: Int) -> String {
    let count = elements.elementCount
    var text = "["
    for index in 0..<count {
      if index > 0 { text += ", " }
      let element = elements.element(at: index)
      // As Swift prints arrays: an element's debug description, in which strings are quoted.
      if let inner = element as? any ArrayElements {
        text += list(inner, limit: limit)
      } else if let data = element as? Data {
        text += "<\(data.count) bytes>"
      } else if let element = element as? any CustomRecordStringConvertible {
        text += element.recordDescription
      } else {
        text += String(reflecting: element)
      }
      if text.utf8.count > limit * 4 { break }
    }
    text += "]"
    guard text.count > limit else { return text }
    return cut(text, limit: limit) + " (\(count) elements)"
  }

  /// The first `limit` characters, with a mark where the text goes on.
  package static func cut(_ text: String, limit: Int = limit) -> String {
    guard text.utf8.count > limit else { return text }
    // A single character may be made of any number of scalars, so these are bounded too.
    let scalars = String(text.unicodeScalars.prefix(limit * 8))
    let head = scalars.prefix(limit)
    return head.utf8.count < text.utf8.count ? head + "…" : text
  }
}
