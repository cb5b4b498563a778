import Foundation

/// Stores the steps of progressions, each under a key, so that a run can resume from where another one stopped.
///
/// ```swift
/// struct DefaultsStore: ProgressionStore {
///   func save(_ step: Data, under key: String) { UserDefaults.standard.set(step, forKey: key) }
///   func load(_ key: String) -> Data? { UserDefaults.standard.data(forKey: key) }
///   func clear(_ key: String) { UserDefaults.standard.removeObject(forKey: key) }
/// }
/// ```
/// Only the last step is stored. It contains all of the step's values, secrets included. For one key, calls follow one
/// after the other, if only one run at a time uses the key; for different keys they are concurrent, from any thread. An
/// error that a method throws fails the run with a `FlowError` whose code is `storeFailed`. Saving isn't cancelled with
/// the run, so it should end by itself.
public protocol ProgressionStore: Sendable {
  /// Replaces the stored step, completely or not at all.
  ///
  /// - Parameters:
  ///   - step: The step, as JSON.
  ///   - key: The progression's key.
  /// - Throws: The reason that it couldn't be saved; the step before should then still be stored.
  func save(_ step: Data, under key: String) async throws

  /// Returns the step that was saved last.
  ///
  /// - Parameter key: The progression's key.
  /// - Returns: The step; `nil` if there is none.
  /// - Throws: The reason that it couldn't be read; never for a missing step.
  func load(_ key: String) async throws -> Data?

  /// Removes the step, because the progression has its result; does nothing if there is none.
  ///
  /// - Parameter key: The progression's key.
  /// - Throws: The reason that it couldn't be removed.
  func clear(_ key: String) async throws
}
