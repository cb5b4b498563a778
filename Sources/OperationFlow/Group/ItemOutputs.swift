/// The outputs of a group's items, each in its place; `nil` in the places of those that have none.
protocol ItemOutputs: Sendable {
  var count: Int { get }
  subscript(index: Int) -> (any Sendable)? { get }

  mutating func keep(_ output: any Sendable, at index: Int)
  mutating func addPlace()
  /// An array of those that are there, in order, for a name; throws ``FlowError`` if one has another type.
  func collected(_ name: String, isSensitive: Bool) throws -> any Sendable
}

extension ItemOutputs {
  var byIndex: [Int: any Sendable] { (0..<count).reduce(into: [:]) { found, index in found[index] = self[index] } }
}

/// Outputs of one type, which are kept as such: a number takes 16 bytes, and 32 as a value of any type.
struct TypedOutputs<Output: Sendable>: ItemOutputs {
  private var values: [Output?]
  /// Outputs of other types, by index: an operation may leave one, and what a journal has isn't decoded yet.
  private var others = [Int: any Sendable]()

  init(count: Int) { values = Array(repeating: nil, count: count) }

  var count: Int { values.count }

  subscript(index: Int) -> (any Sendable)? {
    if let value = values[index] { return value }
    return others.isEmpty ? nil : others[index]
  }

  mutating func keep(_ output: any Sendable, at index: Int) {
    // An optional of a type that is known only at run time costs more than the cast.
    switch output {
    case let value as Output: values[index] = value
    default: others[index] = output
    }
  }

  mutating func addPlace() { values.append(nil) }

  func collected(_ name: String, isSensitive: Bool) throws -> any Sendable {
    var collected: [Output] = []
    collected.reserveCapacity(values.count)
    for index in values.indices {
      if let value = values[index] {
        collected.append(value)
      } else if let other = others.isEmpty ? nil : others[index] {
        collected.append(try checked(other, name: name, isSensitive: isSensitive))
      }
    }
    return collected
  }
}
