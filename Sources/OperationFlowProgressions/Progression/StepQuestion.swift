import OperationFlow

/// Determines if a type implements a way to perform a step, or has the default.
///
/// The language can't answer that, so the step runs while the question is set. The type's own implementation does its
/// work and ignores the question. The default finds the question, answers it, and does nothing. Code that the type
/// starts may inherit a question without harm: only the default would answer, and the type doesn't have the default.
struct StepQuestion: Sendable {
  @TaskLocal private static var current: StepQuestion?

  private let way: StepWay
  private let type: ObjectIdentifier
  private let isDefault = Locked(false)

  /// Returns the value of `body` if it called the type's own implementation; `nil` if it called the default.
  static func written<Value>(
    _ way: StepWay, of type: Any.Type, _ body: () throws -> Value
  ) rethrows -> Value? {
    let question = StepQuestion(way: way, type: ObjectIdentifier(type))
    let value = try $current.withValue(question) { try body() }
    return question.isDefault.withLock { $0 } ? nil : value
  }

  /// Calls `body`, which throws if it calls the default.
  static func written(_ way: StepWay, of type: Any.Type, _ body: () async throws -> Void) async throws {
    try await $current.withValue(StepQuestion(way: way, type: ObjectIdentifier(type))) { try await body() }
  }

  /// Returns true if the caller, a default, is asked; records that as the answer.
  static func isAsked(about way: StepWay, of type: Any.Type) -> Bool {
    guard let question = current, question.way == way, question.type == ObjectIdentifier(type) else { return false }
    question.isDefault.withLock { $0 = true }
    return true
  }
}
