import OperationFlow

/// Asks a type whether it has written a way to take a step, or has the default.
///
/// The language can't say which it is, so the way is taken under the question. What the type has written does its work
/// and knows nothing of it; the default sees that it is asked, says so, and does nothing. A question that is inherited by
/// what the type's own code starts does no harm: only the default would look at it, and the type does not have that.
struct StepQuestion: Sendable {
  @TaskLocal private static var current: StepQuestion?

  private let way: StepWay
  private let type: ObjectIdentifier
  private let isDefault = Locked(false)

  /// What `body` returns if it called what the type has written; `nil` if that was the default.
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

  /// Whether the caller, a default, is asked; the answer is noted.
  static func isAsked(about way: StepWay, of type: Any.Type) -> Bool {
    guard let question = current, question.way == way, question.type == ObjectIdentifier(type) else { return false }
    question.isDefault.withLock { $0 = true }
    return true
  }
}
