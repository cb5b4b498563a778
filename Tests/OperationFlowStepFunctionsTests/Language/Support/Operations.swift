import OperationFlow
import TestSupport

extension FlowKey where Value == Int {
  static var total: Self { "total" }
}
extension FlowKey where Value == String {
  static var target: Self { "target" }
  static var name: Self { "a name" }
  static var token: Self { FlowKey("token", sensitive: true) }
}
extension FlowKey where Value == [Int] {
  static var squares: Self { "squares" }
}
extension FlowKey where Value == Bool {
  static var isWanted: Self { "isWanted" }
}

/// Adds one to a number.
final class CountOp: FlowOperation, @unchecked Sendable {
  // Invariant: it has no state of its own besides its ports.
  @FlowInput(.count) var count
  @FlowOutput(.total) var total

  override func run() async throws { total = count + 1 }
}

/// Squares an item, and has no output for zero.
final class SquareOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  // Invariant: it has no state of its own besides its ports.
  @FlowInput("number") var number: Int
  @FlowOutput("square") var square: Int?

  static func create() -> FlowOperation { SquareOp() }

  override func run() async throws {
    if number < 0 { throw TestError(name: "negative") }
    if number > 0 { square = number * number }
  }
}

/// Adds a number of the flow's bucket to an item.
final class ShiftOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  // Invariant: it has no state of its own besides its ports.
  @FlowInput("number") var number: Int
  @FlowInput(.count) var count
  @FlowOutput("sum") var sum: Int?

  static func create() -> FlowOperation { ShiftOp() }

  override func run() async throws { sum = number + count }
}
