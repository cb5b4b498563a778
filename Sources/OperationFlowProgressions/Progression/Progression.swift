import OperationFlow

/// A workflow as a value: an enum or a struct whose cases are its steps, each with all of its state.
///
/// A step continues to the next in one of three ways, and every way of running works with each of them:
///
/// - ``updateOrDeferNext()`` changes the value in place, or returns a ``Deferred`` of the next step;
/// - ``next()`` returns a ``Deferred`` of the next step;
/// - ``advance()`` changes the value in an `async` function.
///
/// A progression is done when its ``result`` is available. Because it is a value, you can store it at any step, create
/// it at any step in a test, and run it from there:
///
/// ```swift
/// enum Greeting: Progression {
///   case name(String)
///   case greeting(String)
///   case done(String)
///
///   mutating func advance() async throws {
///     switch self {
///     case .name(let name): self = .greeting("hello " + name)
///     case .greeting(let text): self = .done(text + "!")
///     case .done: break
///     }
///   }
///
///   var result: String? { if case .done(let text) = self { text } else { nil } }
/// }
/// ```
///
/// The steps run one after the other, on the thread that the way of running determines. A type that implements none of
/// the three ends with a `FlowError` whose code is `notImplemented`. If a type implements several, the first of the
/// list above counts.
public protocol Progression: CustomRecordStringConvertible, SendableMetatype {
  /// The type of the progression's result.
  associatedtype Result

  /// Changes the value to the next step and returns `nil`, or returns a deferred that produces the next step.
  ///
  /// The ways of running never call it once there is a ``result``.
  ///
  /// - Returns: `nil` if the value is the next step now; otherwise a ``Deferred`` of the next step.
  /// - Throws: The error that the step fails with; the progression then ends with that error.
  mutating func updateOrDeferNext() throws -> Deferred<Self>?

  /// Returns a deferred that produces the next step.
  ///
  /// - Returns: A ``Deferred`` of the next step.
  func next() -> Deferred<Self>

  /// Changes the value to the next step.
  ///
  /// - Throws: The error that the step fails with; the progression then ends with that error.
  mutating func advance() async throws

  /// The result, once the progression is done; `nil` before.
  var result: Result? { get }

  /// The step's name in records and diagrams: by default, the name of the enum's case, or of the type.
  ///
  /// Records show the name as it is, so it must not contain a secret.
  var stepName: String { get }
}
