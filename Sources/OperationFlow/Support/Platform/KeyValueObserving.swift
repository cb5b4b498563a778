import Foundation

// `Operation` informs queues, dependents, `completionBlock` and `waitUntilFinished()` of its end through key-value
// observing, even on Linux, where `didChangeValue(forKey:)` is the only part of it. The state itself changes under the
// operation's lock, so both halves of a notification are posted right after.
extension Operation {
  /// Tells observers that `isExecuting` has changed.
  func postExecutingChanged() {
    #if canImport(Darwin)
      willChangeValue(forKey: "isExecuting")
      didChangeValue(forKey: "isExecuting")
    #endif
  }

  /// Tells observers that the operation has finished.
  func postFinished() {
    #if canImport(Darwin)
      willChangeValue(forKey: "isExecuting")
      willChangeValue(forKey: "isFinished")
      didChangeValue(forKey: "isExecuting")
    #endif
    didChangeValue(forKey: "isFinished")
  }
}
