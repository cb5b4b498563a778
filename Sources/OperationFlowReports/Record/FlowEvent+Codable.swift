import Foundation
import OperationFlow

extension FlowEvent: Codable {
  private enum CodingKeys: CodingKey {
    case number, time, steadyTime, event, name, step, path, item, attempt, meaning
  }

  /// Decodes an event that this version of the library, or an earlier one, has encoded.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The decoder's errors, and a `DecodingError` if the kind of the event isn't known.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let step = try container.decodeIfPresent(Int.self, forKey: .step)
    var source = Source(
      try container.decode(String.self, forKey: .name), step: step,
      item: try container.decodeIfPresent(in: SavedNumbers.counts, forKey: .item),
      attempt: try container.decodeIfPresent(Int.self, forKey: .attempt) ?? 1)
    if let text = try container.decodeIfPresent(String.self, forKey: .meaning),
      let failure = Source.Failure(rawValue: text)
    {
      source = source.failing(failure)
    }
    self.init(
      date: Date(microseconds: try container.decode(in: SavedNumbers.times, forKey: .time)),
      time: try container.decodeIfPresent(in: SavedNumbers.times, forKey: .steadyTime).map { Date(microseconds: $0) },
      source: source,
      kind: try Kind(from: decoder), number: try container.decode(Int.self, forKey: .number),
      path: try container.decodeIfPresent(String.self, forKey: .path).map { FlowPath($0) })
  }

  /// Encodes the event as one flat object; times are in microseconds since 1970.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The encoder's errors.
  public func encode(to encoder: any Encoder) throws { try encode(to: encoder, leavesOutPath: false) }

  func encode(to encoder: any Encoder, leavesOutPath: Bool) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(number, forKey: .number)
    try container.encode(date.microseconds, forKey: .time)
    if time != date { try container.encode(time.microseconds, forKey: .steadyTime) }
    try container.encode(source.name, forKey: .name)
    try container.encodeIfPresent(step, forKey: .step)
    try container.encodeIfPresent(source.item, forKey: .item)
    if attempt != 1 { try container.encode(attempt, forKey: .attempt) }
    if source.failure != .own { try container.encode(source.failure.rawValue, forKey: .meaning) }
    if !leavesOutPath { try container.encodeIfPresent(path?.description, forKey: .path) }
    try kind.encode(to: encoder)
  }
}
