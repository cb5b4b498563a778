import Foundation

// `Operation` informs queues, dependents, `completionBlock` and `waitUntilFinished()` of its end through key-value
// observing, even on Linux, where `didChangeValue(forKey:)` is the only part of it. Elsewhere, observers are also told before
// a property changes, as `Operation`'s documentation asks. That can't happen under the operation's lock, under which its state
// changes: so what the properties return is a value of its own there, which follows the state between the two calls.
extension Operation {
  /// Whether observers are told before a change, so that it has to be made by the functions below.
  static var announcesChanges: Bool {
    #if canImport(Darwin)
      true
    #else
      false
    #endif
  }

  #if canImport(Darwin)
    /// Changes what `isExecuting` returns, and tells observers before and after that.
    func changeExecuting(_ change: () -> Void) {
      willChangeValue(forKey: "isExecuting")
      change()
      didChangeValue(forKey: "isExecuting")
    }

    /// Changes what `isFinished` returns, and `isExecuting` if that is true, and tells observers before and after that.
    func changeFinished(wasExecuting: Bool, _ change: () -> Void) {
      if wasExecuting { willChangeValue(forKey: "isExecuting") }
      willChangeValue(forKey: "isFinished")
      change()
      if wasExecuting { didChangeValue(forKey: "isExecuting") }
      didChangeValue(forKey: "isFinished")
    }
  #else
    /// Does nothing, because no one can observe this.
    @inline(__always)
    func changeExecuting(_ change: () -> Void) {}

    /// Tells Foundation that the operation has finished, which its state says already.
    @inline(__always)
    func changeFinished(wasExecuting: Bool, _ change: () -> Void) { didChangeValue(forKey: "isFinished") }
  #endif
}
