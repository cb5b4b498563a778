import Foundation

/// Encrypts the sensitive values of a durable run before they are stored, and decrypts them when it resumes.
///
/// Without a sealing, a journal has no sensitive values: those of sensitive keys, and of names that the flow's
/// ``FlowRedaction`` redacts, and errors with such values in their texts. Both closures are called from any thread.
public struct FlowSealing: Sendable {
  package let seal: @Sendable (Data) throws -> Data
  package let open: @Sendable (Data) throws -> Data

  /// Creates a sealing from two closures.
  ///
  /// - Parameters:
  ///   - seal: A closure that returns the encrypted bytes. If it throws for a value, the step that wrote the value
  ///     fails; if it throws for an error, only the parts that can be shown are stored.
  ///   - open: A closure that returns the bytes that were given to `seal`. If it throws, the run isn't resumed.
  public init(seal: @escaping @Sendable (Data) throws -> Data, open: @escaping @Sendable (Data) throws -> Data) {
    self.seal = seal
    self.open = open
  }
}
