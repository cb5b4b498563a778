/// The text of a value or an error for a record: made already, or as soon as no lock is held.
enum RecordText: Sendable {
  case made(String)
  case pending(PendingText)

  /// The text, if it has been made.
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
///
/// It holds the value or the error only until then.
final class PendingText: @unchecked Sendable {
  // Invariant: the state is read and written only under the object's shared lock, under which no other lock is taken.
  private enum State: Sendable {
    case value(any Sendable)
    case error(any Error)
    case text(String)
  }

  /// The texts that the code at work is making: a description may read the record that its text is to be in.
  @TaskLocal private static var atWork: [ObjectIdentifier] = []
  /// The text as the description sees it that makes it.
  private static let unmade = "<being described>"

  private var state: State

  init(_ value: any Sendable) { state = .value(value) }

  init(error: any Error) { state = .error(error) }

  /// The text, if it has been made.
  var made: String? {
    let state = SharedLocks.all.withLock(of: self) { self.state }
    return if case .text(let text) = state { text } else { nil }
  }

  /// The text; making it runs the value's own code, so no lock may be held.
  var text: String {
    let this = ObjectIdentifier(self)
    let known = SharedLocks.all.withLock(of: self) { state }
    if case .text(let text) = known { return text }
    if Self.atWork.contains(this) { return Self.unmade }
    let made = Self.$atWork.withValue(Self.atWork + [this]) {
      switch known {
      case .text(let text): text
      case .value(let value): ValueText.describe(value)
      case .error(let error): ValueText.describe(error: error)
      }
    }
    // This may be the last reference to the value, so it is freed outside the lock.
    defer { withExtendedLifetime(known) {} }
    return SharedLocks.all.withLock(of: self) {
      // If two threads make the text at once, the first one counts.
      if case .text(let first) = state { return first }
      state = .text(made)
      return made
    }
  }
}
