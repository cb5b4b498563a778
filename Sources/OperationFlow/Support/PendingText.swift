/// The text of a value or an error for a record: made already, or as soon as no lock is held.
enum RecordText: Sendable {
  case made(String)
  case pending(PendingText)

  var ifMade: String? {
    switch self {
    case .made(let text): text
    case .pending(let pending): pending.made
    }
  }

  /// The text; it may be made only now, so no lock may be held.
  var text: String {
    switch self {
    case .made(let text): text
    case .pending(let pending): pending.text
    }
  }
}

/// The text of a value or an error that was noted under a lock: made only once, after the lock is released.
final class PendingText: Sendable {
  private struct State: Sendable {
    /// Makes the text, and holds the value or the error until then.
    var make: (@Sendable () -> String)?
    var known: String?
  }

  private let state: Locked<State>

  /// The texts that the code at work is making: a description may read the record that its text is to be in.
  @TaskLocal private static var atWork: [ObjectIdentifier] = []
  private static let unmade = "<being described>"

  init(_ value: any Sendable) { state = Locked(State(make: { ValueText.describe(value) })) }

  init(error: any Error) { state = Locked(State(make: { ValueText.describe(error: error) })) }

  var made: String? { state.withLock { $0.known } }

  /// The text; making it runs the value's own code, so no lock may be held.
  var text: String {
    let this = ObjectIdentifier(self)
    let found = state.withLock { $0 }
    guard let make = found.make else { return found.known ?? Self.unmade }
    if Self.atWork.contains(this) { return Self.unmade }
    let made = Self.$atWork.withValue(Self.atWork + [this], operation: make)
    // This may be the last reference to the value, so it is freed outside the lock.
    defer { withExtendedLifetime(make) {} }
    return state.withLock { state in
      state.make = nil
      // If two threads make the text at once, the first one counts.
      return state.known.orNew(made)
    }
  }
}
