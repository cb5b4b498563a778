import Foundation

/// Stores values elsewhere that are too large for the service, and replaces them by references.
///
/// In the data of a state machine, a reference is the object `{"operationFlowReference": "…"}`, so a value of your own
/// must not look like that. Workers replace references in inputs before the work begins, at any depth. In an output,
/// they replace the largest members of the object, and the whole of any other value, until it is at most as large as
/// the threshold. All workers of a flow need the same store. Values are never deleted: let the store expire them.
public struct FlowLargeValues: Sendable {
  /// The size in bytes above which values in an output are replaced.
  public let threshold: Int
  private let put: @Sendable (Data) async throws -> String
  private let get: @Sendable (String) async throws -> Data

  /// Creates a store of large values from two functions.
  ///
  /// - Parameters:
  ///   - threshold: The size in bytes above which values in an output are replaced. All values of a state together may
  ///     have 256 KiB.
  ///   - put: Stores a value, which is JSON, and returns a reference to it. It may be called twice for one value.
  ///   - get: Returns the value for a reference.
  public init(
    threshold: Int = 64 * 1024, put: @escaping @Sendable (_ value: Data) async throws -> String,
    get: @escaping @Sendable (_ reference: String) async throws -> Data
  ) {
    self.threshold = max(0, threshold)
    self.put = put
    self.get = get
  }

  /// Returns an output that is at most as large as the threshold, if references make that possible.
  ///
  /// - Parameters:
  ///   - output: The output, which is JSON.
  ///   - inspected: The parts that are never replaced.
  /// - Returns: The output with references in place of large values.
  /// - Throws: ``FlowTaskFailure`` if the store can't store a value; it may be retried.
  package func replacing(
    _ output: Data, except inspected: InspectedParts = .members([])
  ) async throws(FlowTaskFailure) -> Data {
    guard output.count > threshold, case .members(let kept) = inspected else { return output }
    let bytes = Array(output)
    let members = (RawJSON.slices(of: bytes) ?? []).sorted { $0.value.count > $1.value.count }
    var replaced: [(range: Range<Int>, text: Data)] = []
    var size = output.count
    for member in members
    where size > threshold && member.value.count > Self.referenceSize && !kept.contains(member.name) {
      let text = try await stored(Data(member.value))
      replaced.append((member.value.indices, text))
      size += text.count - member.value.count
    }
    if size > threshold, kept.isEmpty { return try await stored(output) }
    return ReferenceScanner.replacing(replaced.sorted { $0.range.lowerBound < $1.range.lowerBound }, in: output)
  }

  /// Returns an input with the values of its references.
  ///
  /// - Parameters:
  ///   - input: The input, which is JSON.
  ///   - store: The store; without one, an input must not have references.
  /// - Returns: The input with values in place of references.
  /// - Throws: ``FlowTaskFailure`` if there is no store, or if it can't return a value, which may be retried.
  package static func resolving(
    _ input: Data, with store: FlowLargeValues?
  ) async throws(FlowTaskFailure) -> Data {
    let references = ReferenceScanner(input).references(member: member)
    if references.isEmpty { return input }
    guard let store else {
      throw FlowTaskFailure(
        cause: "The task's input has a reference to a large value, and this worker has no store. "
          + "Give it the FlowLargeValues with which the value was kept.",
        mayBeRetried: false)
    }
    var replaced: [(range: Range<Int>, text: Data)] = []
    for reference in references {
      do {
        replaced.append((reference.range, try await store.get(reference.text)))
      } catch {
        throw FlowTaskFailure(
          cause:
            "The large value \"\(reference.text)\" can't be read: \(error). See that all workers have the same store.",
          mayBeRetried: true)
      }
    }
    return ReferenceScanner.replacing(replaced, in: input)
  }

  private static let member = "operationFlowReference"
  /// The size up to which replacing a value isn't worthwhile.
  private static let referenceSize = 256

  private func stored(_ value: Data) async throws(FlowTaskFailure) -> Data {
    do {
      return try JSONEncoder().encode([Self.member: try await put(value)])
    } catch {
      throw FlowTaskFailure(
        cause: "A large value of \(value.count) bytes can't be stored: \(error). See that the store can be reached.",
        mayBeRetried: true)
    }
  }
}
