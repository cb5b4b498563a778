/// The text of a value that was written under a lock: made as soon as that is given back, and only once.
///
/// It holds the value until then, and no longer.
final class PendingText: @unchecked Sendable {
  // Invariant: the state is read and written only under the object's shared lock, under which nothing else is taken.
  private enum State: Sendable {
    case value(any Sendable)
    case text(String)
  }

  private var state: State

  init(_ value: any Sendable) { state = .value(value) }

  /// The text, if it has been made.
  var made: String? {
    let state = SharedLocks.all.withLock(of: self) { self.state }
    return if case .text(let text) = state { text } else { nil }
  }

  /// The text, which runs code of the value's: so no lock may be held.
  var text: String {
    switch SharedLocks.all.withLock(of: self, { state }) {
    case .text(let text): return text
    case .value(let value):
      let text = ValueText.describe(value)
      // The value may be held by nobody else, and is freed outside the lock.
      defer { withExtendedLifetime(value) {} }
      return SharedLocks.all.withLock(of: self) {
        // Of two threads that make it at once, the first counts.
        if case .text(let first) = state { return first }
        state = .text(text)
        return text
      }
    }
  }
}
