import OperationFlow

// The saved forms of the parts of a record. The core declares the parts; their forms aren't in a program without this
// module.

extension FlowRecord.State: Codable {}
extension FlowRecord.Option: Codable {}
extension FlowRecord.Ending.Result: Codable {}

extension FlowRecord.Ending: Codable {
  private enum CodingKeys: CodingKey {
    case result, duration, text, failure
  }

  /// Decodes the ending of a run.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The decoder's errors.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      result: try container.decode(Result.self, forKey: .result),
      duration: .microseconds(try container.decode(in: SavedNumbers.times, forKey: .duration)),
      text: try container.decode(String.self, forKey: .text),
      failure: try container.decodeIfPresent(FlowRecord.Failure.self, forKey: .failure))
  }

  /// Encodes the ending of a run; its duration is in microseconds.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The encoder's errors.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(result, forKey: .result)
    try container.encode(duration.microsecondCount, forKey: .duration)
    try container.encode(text, forKey: .text)
    try container.encodeIfPresent(failure, forKey: .failure)
  }
}

extension FlowRecord.Failure: Codable {
  private enum CodingKeys: CodingKey {
    case name, step, item, attempt, problem, remedy, isRefusal
  }

  /// Decodes the failure of a run.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The decoder's errors.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try container.decode(String.self, forKey: .name),
      step: try container.decodeIfPresent(Int.self, forKey: .step),
      item: try container.decodeIfPresent(Int.self, forKey: .item),
      attempt: try container.decode(Int.self, forKey: .attempt),
      problem: try container.decode(String.self, forKey: .problem),
      remedy: try container.decodeIfPresent(String.self, forKey: .remedy),
      isRefusal: try container.decode(Bool.self, forKey: .isRefusal))
  }

  /// Encodes the failure of a run.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The encoder's errors.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encodeIfPresent(step, forKey: .step)
    try container.encodeIfPresent(item, forKey: .item)
    try container.encode(attempt, forKey: .attempt)
    try container.encode(problem, forKey: .problem)
    try container.encodeIfPresent(remedy, forKey: .remedy)
    try container.encode(isRefusal, forKey: .isRefusal)
  }
}

extension FlowRecord.ItemFailure: Codable {
  private enum CodingKeys: CodingKey {
    case name, step, index, input, error, attempt
  }

  /// Decodes the failure of an item.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The decoder's errors.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try container.decode(String.self, forKey: .name),
      step: try container.decodeIfPresent(Int.self, forKey: .step),
      index: try container.decode(Int.self, forKey: .index),
      input: try container.decode(String.self, forKey: .input),
      error: try container.decode(String.self, forKey: .error),
      attempt: try container.decode(Int.self, forKey: .attempt))
  }

  /// Encodes the failure of an item.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The encoder's errors.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encodeIfPresent(step, forKey: .step)
    try container.encode(index, forKey: .index)
    try container.encode(input, forKey: .input)
    try container.encode(error, forKey: .error)
    try container.encode(attempt, forKey: .attempt)
  }
}

extension FlowReport.Items: Codable {
  private enum CodingKeys: CodingKey {
    case total, succeeded, failed, cancelled
  }

  /// Decodes the counts of a group's items.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The decoder's errors, and a `DecodingError` if a count is negative or too large to be one.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      total: try container.decodeIfPresent(in: SavedNumbers.counts, forKey: .total),
      succeeded: try container.decode(in: SavedNumbers.sums, forKey: .succeeded),
      failed: try container.decode(in: SavedNumbers.sums, forKey: .failed),
      cancelled: try container.decode(in: SavedNumbers.sums, forKey: .cancelled))
  }

  /// Encodes the counts of a group's items.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The encoder's errors.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(total, forKey: .total)
    try container.encode(succeeded, forKey: .succeeded)
    try container.encode(failed, forKey: .failed)
    try container.encode(cancelled, forKey: .cancelled)
  }
}
