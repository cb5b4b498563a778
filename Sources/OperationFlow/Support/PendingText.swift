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
final class PendingText: @unchecked Sendable {
  // Invariant: these are read and written only under the object's shared lock, under which no other lock is taken.
  /// What makes the text, and holds the value or the error until then.
  private var make: (@Sendable () -> String)?
  private var known: String?

  /// The texts that the code at work is making: a description may read the record that its text is to be in.
  @TaskLocal private static var atWork: [ObjectIdentifier] = []
  private static let unmade = "<being described>"

  init(_ value: any Sendable) { make = { ValueText.describe(value) } }

  init(error: any Error) { make = { ValueText.describe(error: error) } }

  var made: String? { SharedLocks.all.withLock(of: self) { known } }

  /// The text; making it runs the value's own code, so no lock may be held.
  var text: String {
    let this = ObjectIdentifier(self)
    let (text, make) = SharedLocks.all.withLock(of: self) { (known, self.make) }
    guard let make else { return text ?? Self.unmade }
    if Self.atWork.contains(this) { return Self.unmade }
    let made = Self.$atWork.withValue(Self.atWork + [this], operation: make)
    // This may be the last reference to the value, so it is freed outside the lock.
    defer { withExtendedLifetime(make) {} }
    return SharedLocks.all.withLock(of: self) {
      // If two threads make the text at once, the first one counts.
      let first = known ?? made
      known = first
      self.make = nil
      return first
    }
  }
}
