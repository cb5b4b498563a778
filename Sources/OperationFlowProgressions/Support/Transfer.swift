/// A value that is handed over from one thread to another.
///
/// Progressions and their results don't have to be `Sendable`: they are values that one thread has at a time.
package struct Transfer<Value>: @unchecked Sendable {
  // Invariant: the code that makes it no longer uses the value, or only a copy that shares nothing mutable.
  package let value: Value

  package init(_ value: Value) { self.value = value }
}
