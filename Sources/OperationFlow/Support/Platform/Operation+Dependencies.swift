import Foundation

extension Operation {
  #if canImport(Darwin)
    /// Whether operations point to their dependents without retaining them, so that dependents must not be freed first.
    static var isPointedToByDependencies: Bool { false }
  #else
    /// Whether operations point to their dependents without retaining them, so that dependents must not be freed first.
    static var isPointedToByDependencies: Bool { true }
  #endif

  /// Lets an operation that waits for others end now, without doing its work.
  func cancelDependencies() {
    for dependency in dependencies { removeDependency(dependency) }
    cancel()
  }
}
