/// The name of a value in a data bucket, with the type of that value.
///
/// Declare keys as static members and use them with a leading dot wherever a key is expected:
/// ```swift
/// extension FlowKey where Value == String {
///   static var email: Self { "email" }
///   static var token: Self { FlowKey("token", sensitive: true) }
/// }
/// ```
/// Two keys are equal if their names are equal.
public struct FlowKey<Value: Sendable>: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name under which the bucket stores the value.
  public let name: String
  /// True if the value is shown as `<redacted>` in every text: summaries, events and errors.
  public let isSensitive: Bool

  /// Creates a key for a value of type `Value`.
  ///
  /// A record also replaces a sensitive value, and the texts and numbers of its parts, in its other texts: in errors,
  /// log lines and names. It doesn't find texts of fewer than six bytes, texts after the first 10,000, bytes, results
  /// such as a hash of the value, and texts that an object makes of itself. ``FlowRedaction`` hides values by their
  /// names in the same way.
  ///
  /// - Parameters:
  ///   - name: The name under which the bucket stores the value.
  ///   - sensitive: `true` to show the value as `<redacted>` in every text.
  public init(_ name: String, sensitive: Bool = false) {
    self.name = name
    self.isSensitive = sensitive
  }

  /// Creates a key that isn't sensitive.
  ///
  /// - Parameter value: The name under which the bucket stores the value.
  public init(stringLiteral value: String) {
    self.init(value)
  }

  /// The key's name.
  public var description: String { name }

  /// Compares names: sensitivity isn't part of a key's identity.
  public static func == (left: Self, right: Self) -> Bool { left.name == right.name }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
