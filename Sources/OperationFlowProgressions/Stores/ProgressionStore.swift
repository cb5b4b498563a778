import Foundation

/// Keeps the steps of progressions, each under a key, so that a run can resume from where another one stopped.
///
/// ```swift
/// struct DefaultsStore: ProgressionStore {
///   func save(_ step: Data, under key: String) { UserDefaults.standard.set(step, forKey: key) }
///   func load(_ key: String) -> Data? { UserDefaults.standard.data(forKey: key) }
///   func clear(_ key: String) { UserDefaults.standard.removeObject(forKey: key) }
/// }
/// ```
/// Only the last step is kept. It holds all that the step holds, secrets included. For one key, calls come one after the
/// other, as long as one run at a time uses the key; for different keys they come at once, from any thread. What a
/// method throws fails the run with a `FlowError` whose code is `storeFailed`. Saving is not
/// cancelled with the run, so it should come to an end by itself.
public protocol ProgressionStore: Sendable {
  /// Keeps a step in place of the one that is there, whole or not at all.
  ///
  /// - Parameters:
  ///   - step: The step, as JSON.
  ///   - key: What the progression is stored as.
  /// - Throws: Whatever kept it from being saved; the step before should then still be there.
  func save(_ step: Data, under key: String) async throws

  /// The step that was saved last.
  ///
  /// - Parameter key: What the progression is stored as.
  /// - Returns: The step; `nil` if there is none.
  /// - Throws: Whatever kept it from being read; never for a step that isn't there.
  func load(_ key: String) async throws -> Data?

  /// Forgets the step: the progression has its result. If there is none, nothing happens.
  ///
  /// - Parameter key: What the progression is stored as.
  /// - Throws: Whatever kept it from being removed.
  func clear(_ key: String) async throws
}
