/// A weak reference to a record: one object that all others share, so that it costs each of them little.
final class WeakRecorder: @unchecked Sendable {
  // Invariant: set once, before anything else can see it; the runtime makes weak references safe to read on any thread.
  fileprivate(set) weak var recorder: Recorder?
}

extension Recorder {
  /// Sets the reference to a recorder that is being created.
  func refer(by reference: WeakRecorder) { reference.recorder = self }
}
