import Foundation
import OperationFlow

/// A store for one progression: with steps instead of data, and errors with remedies.
struct StoredSteps<Step: Sendable>: Sendable {
  private let store: any ProgressionStore
  let key: String
  private let encode: @Sendable (Step) throws -> Data
  private let decode: @Sendable (Data) throws -> Step

  init(_ store: any ProgressionStore, key: String) where Step: Codable {
    self.store = store
    self.key = key
    encode = { step in
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      return try encoder.encode(step)
    }
    decode = { try JSONDecoder().decode(Step.self, from: $0) }
  }

  /// Returns the step to continue from; `nil` if none is stored.
  func load() async throws -> Step? {
    guard let data = try await use("loaded", { try await store.load(key) }) else { return nil }
    do {
      return try decode(data)
    } catch {
      throw FlowError.unreadableStep(Step.self, key: key, error)
    }
  }

  func save(_ step: Step, named name: String) async throws {
    let data: Data
    do {
      data = try encode(step)
    } catch {
      throw FlowError.unencodableStep(name, of: Step.self, key: key, error)
    }
    try await use("saved") { try await store.save(data, under: key) }
  }

  func clear() async throws {
    try await use("cleared") { try await store.clear(key) }
  }

  /// Runs `body` in a task of its own, which is not cancelled with the run, so that completed work is stored anyway.
  private func use<Value: Sendable>(
    _ what: String, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    do {
      return try await Task { try await body() }.value
    } catch let error as FlowError where error.code == .unreadableStep {
      throw error
    } catch {
      throw FlowError.storeFailed(what, key: key, error)
    }
  }
}

extension FlowError {
  fileprivate static func storeFailed(_ what: String, key: String, _ error: any Error) -> FlowError {
    FlowError(
      .storeFailed, "the progression stored as <\(key)> could not be \(what): \(ValueText.describe(error: error))",
      remedy: "Fix the store and run again: the progression continues from the step that was saved last.", key: key)
  }

  fileprivate static func unencodableStep(
    _ name: String, of type: Any.Type, key: String, _ error: any Error
  ) -> FlowError {
    FlowError(
      .storeFailed,
      "the step \(name) of \(TypeName.of(type)), stored as <\(key)>, can't be encoded\(CodingFault(error).text)",
      remedy: "Let it hold only what JSON can; what was saved before is untouched.", key: key)
  }

  fileprivate static func unreadableStep(_ type: Any.Type, key: String, _ error: any Error) -> FlowError {
    FlowError(
      .unreadableStep,
      "what is stored as <\(key)> is no step of \(TypeName.of(type)) as it is now\(CodingFault(error).text)",
      remedy: "Read steps of earlier versions in init(from:), or clear <\(key)> in the store to begin anew; "
        + "what is stored is untouched.", key: key)
  }
}

/// The fault of a stored step, without any of its values: they may be secret.
private struct CodingFault {
  let text: String

  init(_ error: any Error) {
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      text = ": there is no \(Self.path(context.codingPath + [key]))"
    case DecodingError.valueNotFound(_, let context): text = ": there is no value at \(Self.path(context.codingPath))"
    case DecodingError.typeMismatch(let type, let context):
      text = ": there is no \(type) at \(Self.path(context.codingPath))"
    case DecodingError.dataCorrupted(let context): text = ": it is broken at \(Self.path(context.codingPath))"
    case EncodingError.invalidValue(_, let context): text = ": the fault is at \(Self.path(context.codingPath))"
    default: text = " (\(TypeName.of(type(of: error))))"
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    let names = keys.map { $0.intValue.map(String.init) ?? $0.stringValue }
    return names.isEmpty ? "its top" : ValueText.cut(names.joined(separator: "."))
  }
}
