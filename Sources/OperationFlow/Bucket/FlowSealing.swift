import Foundation

/// Encrypts the sensitive values of a durable run before they are stored, and decrypts them when it resumes.
///
/// Without it, a journal has no sensitive values. Those are the values of sensitive keys, and of names that the flow's
/// ``FlowRedaction`` redacts, and errors with such values in their texts. Both closures are called from any thread.
public struct FlowSealing: Sendable {
  package let seal: @Sendable (Data) throws -> Data
  package let open: @Sendable (Data) throws -> Data

  /// Creates a sealing from two closures.
  ///
  /// - Parameters:
  ///   - seal: Returns the encrypted bytes. If it throws, the step that has written the value fails; of an error, what
  ///     can be shown is stored alone.
  ///   - open: Returns the bytes that were given to `seal`. If it throws, the run isn't resumed.
  public init(seal: @escaping @Sendable (Data) throws -> Data, open: @escaping @Sendable (Data) throws -> Data) {
    self.seal = seal
    self.open = open
  }
}
