import OperationFlow

extension FlowEvent.Item: Codable {
  private enum CodingKeys: CodingKey {
    case name, text
  }

  /// Decodes an item.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The decoder's errors.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try container.decode(String.self, forKey: .name), text: try container.decode(String.self, forKey: .text))
  }

  /// Encodes the item as an object with its name and its text.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The encoder's errors.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(text, forKey: .text)
  }
}
