/// A weak reference to a record: one object that all others share, so that it costs each of them little.
final class WeakRecorder: @unchecked Sendable {
  // Invariant: the reference is set at most once, before anything that reads it is given the object, and the runtime makes
  // weak references safe to read on any thread; the identifier is read and written only under the object's shared lock.
  fileprivate(set) weak var recorder: Recorder?
  private var identifier: RecordIdentifier?

  /// The identifier of the run, which is made when it is first asked for.
  var runIdentifier: RecordIdentifier {
    let random = RecordIdentifier()
    return SharedLocks.all.withLock(of: self) {
      if let identifier { return identifier }
      identifier = random
      return random
    }
  }
}

/// A random number of 128 bits that distinguishes a run from all others.
struct RecordIdentifier: Sendable, CustomStringConvertible {
  // An identifier of zeros is none, to those who read traces.
  private let numbers = (UInt64.random(in: 1 ... .max), UInt64.random(in: 1 ... .max))

  /// 32 hexadecimal digits.
  var description: String { Self.hex(numbers.0) + Self.hex(numbers.1) }

  private static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension Recorder {
  /// Lets the reference lead here, before the run begins.
  ///
  /// Only what outlives its run needs that, and counting the references of an object that has a weak one costs more.
  func setReference() { reference.recorder = self }
}
