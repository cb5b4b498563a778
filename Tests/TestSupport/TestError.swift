/// An error to fail with.
package struct TestError: Error, Equatable, CustomStringConvertible {
  private let name: String

  package init(name: String = "test") { self.name = name }

  package var description: String { "TestError(\(name))" }
}
