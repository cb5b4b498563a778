import Foundation
import OperationFlow

/// Stores steps in memory: for tests, and to retry within one process.
///
/// You can use a store from any thread.
public final class MemoryProgressionStore: ProgressionStore {
  private let kept: Locked<[String: Data]>

  /// Creates a store.
  ///
  /// - Parameter steps: The initial steps, as JSON.
  public init(_ steps: [String: Data] = [:]) {
    kept = Locked(steps)
  }

  /// The stored steps, as JSON.
  public var steps: [String: Data] { kept.withLock { $0 } }

  /// Replaces the stored step.
  ///
  /// - Parameters:
  ///   - step: The step, as JSON.
  ///   - key: The progression's key.
  public func save(_ step: Data, under key: String) {
    kept.withLock { $0[key] = step }
  }

  /// Returns the step that was saved last.
  ///
  /// - Parameter key: The progression's key.
  /// - Returns: The step; `nil` if there is none.
  public func load(_ key: String) -> Data? {
    kept.withLock { $0[key] }
  }

  /// Removes a step.
  ///
  /// - Parameter key: The progression's key.
  public func clear(_ key: String) {
    kept.withLock { $0[key] = nil }
  }
}
