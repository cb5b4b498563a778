import Foundation
import OperationFlow
import OperationFlowStorage

/// The output of an execution: the values of the data bucket at its end, and the failures that groups have tolerated.
public struct StateMachineOutput: Sendable, Hashable {
  /// An item of a group that has failed.
  public struct ItemFailure: Sendable, Hashable {
    /// The path of the group.
    public let path: FlowPath
    /// The item's index, counted from 0.
    public let index: Int
    /// The name of the failure.
    public let error: String
    /// The problem and the remedy.
    public let cause: String
  }

  /// The values as JSON, by their names.
  public let values: [String: Data]
  /// The items that have failed, by their groups' paths, in order.
  public let itemFailures: [ItemFailure]

  /// Reads the output of an execution.
  ///
  /// - Parameters:
  ///   - json: The output: a JSON object.
  ///   - sealing: The decryption of sensitive values; without it, sealed values stay sealed.
  /// - Throws: ``FlowTaskFailure`` if `json` is no JSON object, or if a sealed value can't be opened.
  public init(json: Data, sealing: FlowSealing? = nil) throws(FlowTaskFailure) {
    guard var members = RawJSON.members(Array(json)) else {
      throw FlowTaskFailure(
        cause: "the output is no JSON object. Read the output of an execution of an exported flow.", mayBeRetried: false
      )
    }
    let own = members.removeValue(forKey: DataPath.reserved).flatMap(RawJSON.knownMembers) ?? [:]
    let opened = try SealedValues(sealing: sealing).opened(members.filter { !RawJSON.isNull($0.value) })
    values = opened.mapValues { Data($0) }
    let groups = (own["failures"].flatMap(RawJSON.knownMembers) ?? [:]).sorted { $0.key < $1.key }
    itemFailures = groups.flatMap { path, failures in
      (RawJSON.knownElements(failures) ?? []).compactMap { failure in
        guard let members = RawJSON.knownMembers(failure), let index = members["index"].flatMap(RawJSON.integer) else {
          return nil
        }
        return ItemFailure(
          path: FlowPath(path), index: index, error: members["error"].flatMap(RawJSON.text) ?? "",
          cause: members["cause"].flatMap(RawJSON.text) ?? "")
      }
    }
  }

  /// Reads the output of an execution whose workers store large values elsewhere.
  ///
  /// - Parameters:
  ///   - json: The output: a JSON object.
  ///   - sealing: The decryption of sensitive values; without it, sealed values stay sealed.
  ///   - largeValues: The store of large values.
  /// - Throws: ``FlowTaskFailure`` as the other initializer does, or if a value can't be read.
  public init(
    json: Data, sealing: FlowSealing? = nil, largeValues: FlowLargeValues
  ) async throws(FlowTaskFailure) {
    try self.init(json: try await FlowLargeValues.resolving(json, with: largeValues), sealing: sealing)
  }

  /// The value under `key`; `nil` if it is missing or can't be decoded as the key's type.
  public subscript<Value: Decodable>(key: FlowKey<Value>) -> Value? {
    guard let json = values[key.name] else { return nil }
    return StoredJSON(Array(json)).decoded(as: Value.self)
  }
}
