import Foundation

// `Operation` informs queues, dependents, `completionBlock` and `waitUntilFinished()` of its end through key-value
// observing, even on Linux, where only `didChangeValue(forKey:)` exists. On other platforms, observers are also
// notified before a property changes. No lock can be held then, so the properties return a value that follows the state
// between the two calls.
extension Operation {
  #if canImport(Darwin)
    /// True if observers are notified before a change, so that it has to be made by the functions below.
    static var announcesChanges: Bool { true }

    /// True if operations point to their dependents without retaining them, so that dependents must not be freed first.
    static var isPointedToByDependencies: Bool { false }

    /// Changes the value of `isExecuting`, and notifies observers before and after that.
    func changeExecuting(_ change: () -> Void) {
      willChangeValue(forKey: "isExecuting")
      change()
      didChangeValue(forKey: "isExecuting")
    }

    /// Changes the value of `isFinished`, and `isExecuting` if that is true, and notifies observers before and after
    /// that.
    func changeFinished(_ change: () -> Void) {
      let wasExecuting = isExecuting
      if wasExecuting { willChangeValue(forKey: "isExecuting") }
      willChangeValue(forKey: "isFinished")
      change()
      if wasExecuting { didChangeValue(forKey: "isExecuting") }
      didChangeValue(forKey: "isFinished")
    }
  #else
    /// False, because no one can observe a change.
    static var announcesChanges: Bool { false }

    static var isPointedToByDependencies: Bool { true }

    /// Does nothing, because no one can observe this.
    func changeExecuting(_ change: () -> Void) {}

    /// Notifies Foundation that the operation has finished, which its state shows already.
    func changeFinished(_ change: () -> Void) { didChangeValue(forKey: "isFinished") }
  #endif
}
