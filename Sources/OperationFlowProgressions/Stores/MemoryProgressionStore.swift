import Foundation
import OperationFlow

/// Keeps steps for as long as it lives: for tests, and to try again within one process.
///
/// Safe to be used from any thread.
public final class MemoryProgressionStore: ProgressionStore {
  private let kept: Locked<[String: Data]>

  /// Makes a store.
  ///
  /// - Parameter steps: The steps that it holds at first, as JSON.
  public init(_ steps: [String: Data] = [:]) {
    kept = Locked(steps)
  }

  /// All steps that are kept, as JSON.
  public var steps: [String: Data] { kept.withLock { $0 } }

  /// Keeps a step in place of the one that is there.
  ///
  /// - Parameters:
  ///   - step: The step, as JSON.
  ///   - key: What the progression is stored as.
  public func save(_ step: Data, under key: String) {
    kept.withLock { $0[key] = step }
  }

  /// The step that was saved last.
  ///
  /// - Parameter key: What the progression is stored as.
  /// - Returns: The step; `nil` if there is none.
  public func load(_ key: String) -> Data? {
    kept.withLock { $0[key] }
  }

  /// Forgets a step.
  ///
  /// - Parameter key: What the progression is stored as.
  public func clear(_ key: String) {
    kept.withLock { $0[key] = nil }
  }
}
