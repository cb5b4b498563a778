import OperationFlow

/// Finds out whether a type implements a way to take a step, or has the default.
///
/// The language can't tell, so the step is taken while the question is set. The type's own implementation does its work
/// and doesn't know about the question; the default sees that it is asked, says so, and does nothing. It does no harm
/// if code that the type starts inherits a question: only the default would look at it, and the type does not have
/// that.
struct StepQuestion: Sendable {
  @TaskLocal private static var current: StepQuestion?

  private let way: StepWay
  private let type: ObjectIdentifier
  private let isDefault = Locked(false)

  /// What `body` returns if it called the type's own implementation; `nil` if that was the default.
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

  /// Whether the caller, a default, is asked; notes the answer.
  static func isAsked(about way: StepWay, of type: Any.Type) -> Bool {
    guard let question = current, question.way == way, question.type == ObjectIdentifier(type) else { return false }
    question.isDefault.withLock { $0 = true }
    return true
  }
}
