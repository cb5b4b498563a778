import TestSupport
import Testing

@testable import OperationFlow

/// A value that a journal has.
private final class Undecoded: UndecodedValue {
  private let number: Int

  init(_ number: Int) { self.number = number }

  func decoded<Value>(as type: Value.Type) -> Value? { number as? Value }
  var elements: [any Sendable]? { nil }
  var form: String { "number" }
  var texts: [String] { [] }
  var description: String { "\(number)" }
}

@Suite(.watched) struct ItemOutputsTests {
  private let group = GroupStep(
    GroupItems<Int>("items"), into: "numbers" as FlowKey<[Int]>, 1, .none, .closure { item, _ in item })

  @Test func `outputs of other types are converted when they are collected, and those that aren't there are left out`()
    throws
  {
    let collected = try group.collect([Undecoded(1), nil, 30], [], false)
    #expect(collected.count == 1 && collected[0].name == "numbers" && collected[0].value as? [Int] == [1, 30])
    let error = #expect(throws: FlowError.self) { try group.collect([Undecoded(1), "4"], [], true) }
    #expect(error?.code == .mismatchedData && error?.key == "numbers" && error?.problem.contains("<4>") == false)
  }

  @Test func `an optional output that is empty isn't missing`() throws {
    let group = GroupStep(
      GroupItems<Int>("items"), into: "numbers" as FlowKey<[Int?]>, 1, .none, .closure { item, _ in item })
    #expect(try group.collect([nil, Int?.none as any Sendable], [], false).first?.value as? [Int?] == [nil])
    let facts = ItemFacts(
      FlowReport.Items(total: 2, succeeded: 1, failed: 1, cancelled: 0), [.cancelled, .succeeded(Int?.none)])
    #expect(Array(facts.partialOutputs.keys) == [1])
  }
}
