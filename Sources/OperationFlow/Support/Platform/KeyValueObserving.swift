import Foundation

// `Operation` informs queues, dependents, `completionBlock` and `waitUntilFinished()` of its end through key-value observing,
// even on Linux, where `didChangeValue(forKey:)` is all of it. Elsewhere, observers are also told before a property changes,
// which can't be under the lock of its state: so the properties return a value that follows the state between the calls.
extension Operation {
  #if canImport(Darwin)
    /// Whether observers are told before a change, so that it has to be made by the functions below.
    static var announcesChanges: Bool { true }

    /// Whether operations point to their dependents without retaining them, so that dependents must not be freed first.
    static var isPointedToByDependencies: Bool { false }

    /// Changes what `isExecuting` returns, and tells observers before and after that.
    func changeExecuting(_ change: () -> Void) {
      willChangeValue(forKey: "isExecuting")
      change()
      didChangeValue(forKey: "isExecuting")
    }

    /// Changes what `isFinished` returns, and `isExecuting` if that is true, and tells observers before and after that.
    func changeFinished(_ change: () -> Void) {
      let wasExecuting = isExecuting
      if wasExecuting { willChangeValue(forKey: "isExecuting") }
      willChangeValue(forKey: "isFinished")
      change()
      if wasExecuting { didChangeValue(forKey: "isExecuting") }
      didChangeValue(forKey: "isFinished")
    }
  #else
    /// Whether observers are told before a change: no one can observe one.
    static var announcesChanges: Bool { false }

    static var isPointedToByDependencies: Bool { true }

    /// Does nothing, because no one can observe this.
    func changeExecuting(_ change: () -> Void) {}

    /// Tells Foundation that the operation has finished, which its state says already.
    func changeFinished(_ change: () -> Void) { didChangeValue(forKey: "isFinished") }
  #endif
}
