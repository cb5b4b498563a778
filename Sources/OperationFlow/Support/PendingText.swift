/// The text of a value that was written under a lock: made only once, as soon as the lock is released.
///
/// It holds the value only until then.
final class PendingText: @unchecked Sendable {
  // Invariant: the state is read and written only under the object's shared lock, under which no other lock is taken.
  private enum State: Sendable {
    case value(any Sendable)
    case text(String)
  }

  /// The texts that the code at work is making: a description may read the record that its text is to be in.
  @TaskLocal private static var atWork: [ObjectIdentifier] = []
  /// The text as the description sees it that makes it.
  private static let unmade = "<being described>"

  private var state: State

  init(_ value: any Sendable) { state = .value(value) }

  /// The text, if it has been made.
  var made: String? {
    let state = SharedLocks.all.withLock(of: self) { self.state }
    return if case .text(let text) = state { text } else { nil }
  }

  /// The text; making it runs the value's own code, so no lock may be held.
  var text: String {
    switch SharedLocks.all.withLock(of: self, { state }) {
    case .text(let text): return text
    case .value(let value):
      let this = ObjectIdentifier(self)
      if Self.atWork.contains(this) { return Self.unmade }
      let text = Self.$atWork.withValue(Self.atWork + [this]) { ValueText.describe(value) }
      // This may be the last reference to the value, so it is freed outside the lock.
      defer { withExtendedLifetime(value) {} }
      return SharedLocks.all.withLock(of: self) {
        // If two threads make the text at once, the first one counts.
        if case .text(let first) = state { return first }
        state = .text(text)
        return text
      }
    }
  }
}
