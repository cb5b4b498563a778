import OperationFlow

/// A workflow as a value: an enum or a struct whose cases are its steps, each with all of its state.
///
/// A step goes on to the next in one of three ways, and every way of running works with each of them:
///
/// - ``updateOrDeferNext()`` changes the value in place, or returns a ``Deferred`` of the next step;
/// - ``next()`` returns a ``Deferred`` of the next step;
/// - ``advance()`` changes the value in an `async` function.
///
/// A progression is done when its ``result`` is there. As a value it can be stored at any step, made at any step in a
/// test, and run from there:
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
/// Steps are taken one after the other, on whatever thread the way of running says. A type that writes none of the three
/// ends with a `FlowError` whose code is `notImplemented`. If a type writes several, the first of
/// the list above counts.
public protocol Progression: CustomRecordStringConvertible, SendableMetatype {
  /// What the progression comes to.
  associatedtype Result

  /// Changes the value to the next step and returns `nil`, or returns a deferred that produces the next step.
  ///
  /// It is never called by a way of running once there is a ``result``.
  ///
  /// - Returns: `nil` if the value is the next step now; otherwise a ``Deferred`` of the next step.
  /// - Throws: What the step fails with; the progression then ends with that error.
  mutating func updateOrDeferNext() throws -> Deferred<Self>?

  /// Returns a deferred that produces the next step.
  ///
  /// - Returns: A ``Deferred`` of the next step.
  func next() -> Deferred<Self>

  /// Changes the value to the next step.
  ///
  /// - Throws: What the step fails with; the progression then ends with that error.
  mutating func advance() async throws

  /// The result, once the progression is done; `nil` before.
  var result: Result? { get }

  /// What the step is called in records and diagrams: the case's name, or the type's, unless the type says otherwise.
  ///
  /// It is shown as it is, so it must hold nothing that is secret.
  var stepName: String { get }
}
