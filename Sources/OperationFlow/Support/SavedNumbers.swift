/// The numbers that a saved record may have: they leave room for sums, so that no file can end the process.
enum SavedNumbers {
  /// Times and durations in microseconds: 36,000 years in both directions.
  static let times = -(1 << 60)...(1 << 60)
  /// Counts that are added up: of attempts, of events that were left out, and of items that have ended.
  static let sums = 0...(1 << 40)
  /// Counts that aren't.
  static let counts = 0...Int.max
}

extension KeyedDecodingContainer {
  /// Decodes a whole number, and throws if it isn't in a range.
  func decode(in range: ClosedRange<Int>, forKey key: Key) throws -> Int {
    let number = try decode(Int.self, forKey: key)
    guard range.contains(number) else {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "no record has \(number) here")
    }
    return number
  }

  /// Decodes a whole number if there is one, and throws if it isn't in a range.
  func decodeIfPresent(in range: ClosedRange<Int>, forKey key: Key) throws -> Int? {
    try contains(key) && !decodeNil(forKey: key) ? decode(in: range, forKey: key) : nil
  }
}
