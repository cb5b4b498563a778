/// A value that is transferred from one thread to another.
///
/// Progressions and their results don't have to be `Sendable`: one thread at a time uses them.
package struct Transfer<Value>: @unchecked Sendable {
  // Invariant: the code that creates it no longer uses the value, or only a copy that shares nothing mutable.
  package let value: Value

  package init(_ value: Value) { self.value = value }
}
