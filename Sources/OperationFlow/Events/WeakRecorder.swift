/// A record that is not held: one object for all that would refer to the record, so that this costs each of them little.
final class WeakRecorder: @unchecked Sendable {
  // Invariant: set once, before anyone else has it; the runtime makes reading a weak reference safe from any thread.
  fileprivate(set) weak var recorder: Recorder?
}

extension Recorder {
  /// Makes the reference to a recorder that is being made.
  func refer(by reference: WeakRecorder) { reference.recorder = self }
}
