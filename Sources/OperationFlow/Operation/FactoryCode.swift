/// The code of a factory that captures nothing: it makes the same kind of operation in whichever flow it is.
struct FactoryCode: Sendable, Hashable {
  private let address: UInt

  /// A function is its code and what it captures; `nil` if it captures anything, or if that can't be told.
  init?(_ make: @escaping @Sendable () -> FlowOperation) {
    guard MemoryLayout<Function>.size == MemoryLayout<(UInt, UInt)>.size else { return nil }
    let (code, captures) = withUnsafeBytes(of: Function(make: make)) { $0.load(as: (UInt, UInt).self) }
    guard captures == 0, code != 0 else { return nil }
    address = code
  }

  /// In a struct of its own, because generic code would get another function, which captures this one.
  private struct Function {
    let make: @Sendable () -> FlowOperation
  }
}
