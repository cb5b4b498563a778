import OperationFlow

extension SavedNumbers {
  /// The range of counts that are added up: of attempts, of events that were left out, and of items that have ended.
  ///
  /// The largest is 2^40, or 2^19 if `Int` has 32 bits, so that sums don't overflow.
  static let sums = 0...(Int.max >> (Int.bitWidth / 3 + 2) + 1)
  /// The range of counts that aren't added up.
  static let counts = 0...Int.max
}

extension KeyedDecodingContainer {
  /// Decodes a whole number, and throws if it isn't in a range.
  func decode<Number: FixedWidthInteger & Decodable>(in range: ClosedRange<Number>, forKey key: Key) throws -> Number {
    let number = try decode(Number.self, forKey: key)
    guard range.contains(number) else {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "no record has \(number) here")
    }
    return number
  }

  /// Decodes a whole number if there is one, and throws if it isn't in a range.
  func decodeIfPresent<Number: FixedWidthInteger & Decodable>(
    in range: ClosedRange<Number>, forKey key: Key
  ) throws -> Number? {
    try contains(key) && !decodeNil(forKey: key) ? decode(in: range, forKey: key) : nil
  }
}
