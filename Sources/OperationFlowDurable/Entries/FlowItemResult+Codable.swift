import OperationFlow

extension FlowItemResult: Codable where Output: Codable {
  private enum CodingKeys: CodingKey {
    case succeeded, withoutOutput, failed, type, cancelled, neverStarted
  }

  /// Decodes a result; its error is a `FlowStoredError`.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The decoder's errors.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if container.contains(.succeeded) {
      self = .succeeded(try container.decode(Output.self, forKey: .succeeded))
    } else if container.contains(.failed) {
      let text = try container.decode(String.self, forKey: .failed)
      self = .failed(FlowStoredError(description: text, type: try container.decode(String.self, forKey: .type)))
    } else if container.contains(.cancelled) {
      self = .cancelled
    } else if container.contains(.neverStarted) {
      self = .neverStarted
    } else {
      self = .withoutOutput
    }
  }

  /// Encodes the result; an error is encoded as its text and the name of its type.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The encoder's errors.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .succeeded(let output): try container.encode(output, forKey: .succeeded)
    case .withoutOutput: try container.encode(true, forKey: .withoutOutput)
    case .failed(let error):
      let stored = error as? FlowStoredError
      try container.encode(stored?.description ?? ValueText.describe(error: error), forKey: .failed)
      try container.encode(stored?.type ?? TypeName.of(Swift.type(of: error)), forKey: .type)
    case .cancelled: try container.encode(true, forKey: .cancelled)
    case .neverStarted: try container.encode(true, forKey: .neverStarted)
    }
  }
}
