import Foundation

extension Operation {
  /// Whether operations point to their dependents without retaining them, so that dependents must not be freed first.
  static var isPointedToByDependencies: Bool {
    #if canImport(Darwin)
      false
    #else
      true
    #endif
  }

  /// Lets an operation that waits for others end now, without doing its work.
  func cancelDependencies() {
    for dependency in dependencies { removeDependency(dependency) }
    cancel()
  }
}
