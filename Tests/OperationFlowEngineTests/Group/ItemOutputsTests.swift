import TestSupport
import Testing

@testable import OperationFlow

/// A value as a journal contains it, not decoded yet.
private final class Undecoded: UndecodedValue {
  private let number: Int

  init(_ number: Int) { self.number = number }

  func decoded<Value>(as type: Value.Type) -> Value? { number as? Value }
  func obstacle(toDecodingAs type: Any.Type) -> String? { type is Int.Type ? nil : "it is a number" }
  var elements: [any Sendable]? { nil }
  var form: String { "number" }
  var texts: [String] { [] }
  var description: String { "\(number)" }
}

@Suite(.watched) struct ItemOutputsTests {
  @Test func `outputs keep their places, and those of other types are converted when they are collected`() throws {
    var outputs = TypedOutputs<Int>(count: 3)
    outputs.store(30, at: 2)
    outputs.store(Undecoded(1), at: 0)
    outputs.addPlace()
    #expect(outputs.count == 4)
    #expect(outputs.byIndex.keys.sorted() == [0, 2])
    #expect(outputs[0] is Undecoded && outputs[1] == nil && outputs[2] as? Int == 30)
    #expect(try outputs.collected("numbers", isSensitive: false) as? [Int] == [1, 30])
    outputs.store("4", at: 3)
    let error = #expect(throws: FlowError.self) { try outputs.collected("numbers", isSensitive: true) }
    #expect(error?.code == .mismatchedData && error?.key == "numbers" && error?.problem.contains("<4>") == false)
  }

  @Test func `an optional output that is empty has a place, and isn't missing`() throws {
    var outputs = TypedOutputs<Int?>(count: 2)
    outputs.store(Int?.none, at: 1)
    #expect(Array(outputs.byIndex.keys) == [1])
    #expect(try outputs.collected("numbers", isSensitive: false) as? [Int?] == [nil])
  }
}
