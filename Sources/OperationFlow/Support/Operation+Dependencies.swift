import Foundation

extension Operation {
  #if canImport(Darwin)
    /// Whether operations point to those that depend on them without holding them, so that none may be freed first.
    static var isPointedToByDependencies: Bool { false }
  #else
    /// Whether operations point to those that depend on them without holding them, so that none may be freed first.
    static var isPointedToByDependencies: Bool { true }
  #endif

  /// Lets an operation that waits for others end now, without doing its work.
  func giveUpWaiting() {
    for dependency in dependencies { removeDependency(dependency) }
    cancel()
  }
}
