import OperationFlow

/// The name of a message that someone outside sends to a run, with the type of its value.
///
/// Declare signals as static members, as you do keys:
/// ```swift
/// struct Approval: Codable, Sendable { var by: String }
///
/// extension FlowSignal where Value == Approval {
///   static var approved: Self { "approved" }
/// }
/// ```
/// A step that waits for a signal writes its value under ``key``. Two signals are equal if their names are equal.
public struct FlowSignal<Value: Sendable>: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name under which the signal is sent, and under which its value is written.
  public let name: String
  /// True if the value is shown as `<redacted>` in every text, and stored only if it is sealed.
  public let isSensitive: Bool

  /// Creates a signal with a value of type `Value`.
  ///
  /// - Parameters:
  ///   - name: The name under which the signal is sent.
  ///   - sensitive: If true, the value is shown as `<redacted>` in every text, and stored only if it is sealed.
  public init(_ name: String, sensitive: Bool = false) { (self.name, isSensitive) = (name, sensitive) }

  /// Creates a signal that isn't sensitive.
  ///
  /// - Parameter value: The name under which the signal is sent.
  public init(stringLiteral value: String) { self.init(value) }

  /// The key under which a step that has waited for the signal writes its value.
  public var key: FlowKey<Value> { FlowKey(name, sensitive: isSensitive) }

  /// The signal's name.
  public var description: String { name }

  /// Compares names: sensitivity isn't part of a signal's identity.
  public static func == (left: Self, right: Self) -> Bool { left.name == right.name }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
