import Foundation
import TestSupport
import Testing

@testable import OperationFlow

/// Reads and writes a type.
private final class TypedOp<Input: Sendable, Output: Sendable>: FlowOperation, @unchecked Sendable {
  @FlowInput var input: Input
  @FlowOutput var output: Output?

  init(_ source: FlowKey<Input>, _ target: FlowKey<Output>) {
    _input = FlowInput(source)
    _output = FlowOutput(target)
  }
}

private class Animal: @unchecked Sendable {}
private final class Dog: Animal, @unchecked Sendable {}
private protocol Speaker {}
private struct Parrot: Speaker, CustomStringConvertible { let description = "parrot" }

@Suite(.watched) struct MismatchedInputRuleTests {
  /// A flow in which one step writes a type and the next reads another, under the same name.
  private func passing<Written: Sendable, Read: Sendable>(_: Written.Type, as _: Read.Type) -> Flow {
    Flow().set("start", to: 1)
      .add(TypedOp<Int, Written>("start", "value")).add(TypedOp<Read, Int>("value", "end"))
  }

  @Test func `a type that can't be read as another is an error that names both`() throws {
    let flow = passing(String.self, as: Int.self)
    #expect(flow.findings == ["error mismatchedData at 2. TypedOp<Int, Int>: value"])
    let problem = try #require(flow.validate().first)
    #expect(problem.problem == "<value> is read as <Int>, but 1. TypedOp<Int, String> writes a <String>.")
    #expect(problem.remedy.contains("Int"))
  }

  @Test func `types that never fit are found`() {
    #expect(passing(Int.self, as: Double.self).faults.count == 1)
    #expect(passing([Int].self, as: Int.self).faults.count == 1)
    #expect(passing([Int].self, as: Set<Int>.self).faults.count == 1)
    #expect(passing(URL.self, as: String.self).faults.count == 1)
    #expect(passing(String?.self, as: Int.self).faults.count == 1)
    #expect(passing(Date.self, as: [String: Int].self).faults.count == 1)
  }

  @Test func `types that may fit are left alone`() {
    #expect(passing(Int.self, as: Int.self).faults == [])
    #expect(passing(Animal.self, as: Dog.self).faults == [])
    #expect(passing(Dog.self, as: Animal.self).faults == [])
    #expect(passing([Animal].self, as: [Dog].self).faults == [])
    #expect(passing((any Sendable).self, as: Int.self).faults == [])
    #expect(passing(Int.self, as: (any Sendable).self).faults == [])
    #expect(passing([any Sendable].self, as: [Int].self).faults == [])
    #expect(passing([Int].self, as: [any Sendable].self).faults == [])
    #expect(passing((any Speaker & Sendable).self, as: Parrot.self).faults == [])
    #expect(passing(Parrot.self, as: (any Speaker & Sendable).self).faults == [])
    #expect(passing([String: Int].self, as: [String: any Sendable].self).faults == [])
    #expect(passing((any Error).self, as: TestError.self).faults == [])
  }

  @Test func `an optional that is written is read as what it holds`() async {
    #expect(passing(String?.self, as: String.self).faults == [])
    #expect(passing(String??.self, as: String.self).faults == [])
  }

  @Test func `a value that is there at first is judged by itself`() {
    #expect(Flow().set("a", to: "1").add(CopyOp("a")).findings == ["error mismatchedData at 1. CopyOp: a"])
    let animals = Flow().set("pet", to: Animal())
    let faults = animals.add(TypedOp<Dog, Int>("pet", "end")).faults
    #expect(faults == ["error mismatchedData at 1. TypedOp<Dog, Int>: pet"])
    #expect(Flow().set("pet", to: Dog()).add(TypedOp<Animal, Int>("pet", "end")).faults == [])
    let list: [any Sendable] = [1, 2]
    #expect(Flow().set("list", to: list).add(TypedOp<[Int], Int>("list", "end")).faults == [])
    #expect(Flow().set("list", to: list).add(TypedOp<[String], Int>("list", "end")).faults.count == 1)
    #expect(Flow().set("list", to: list).add(TypedOp<[Int], Int>("list", "end")).validate().count == 0)
  }

  @Test func `a value that is overwritten before is not held against a later reader`() {
    #expect(Flow().set("a", to: "text").add(WriteOp("a")).add(CopyOp("a")).faults == [])
    #expect(Flow().add(WriteTextOp("a")).add(WriteOp("a")).add(CopyOp("a")).faults == [])
    #expect(Flow().set("a", to: "text").add(SecretWriteOp("a")).add(CopyOp("a")).faults == [])
  }

  @Test func `one branch that writes another type is enough`() {
    let flow = Flow().set("target", to: "A")
      .cases(on: "target") {
        $0.when("A") { $0.add(WriteOp("a")) }
        $0.otherwise { $0.add(WriteTextOp("a")) }
      }
    #expect(flow.faults == [])
    #expect(flow.add(CopyOp("a")).faults == ["error mismatchedData at 2. CopyOp: a"])
  }

  @Test func `a mistyped value is no error for an optional input and for one with a default`() async {
    final class ModestOp: FlowOperation, @unchecked Sendable {
      @FlowInput var a: Int?
      @FlowInput(FlowKey<Int>("a")) var b = 1
      override func run() async {}
    }
    let flow = Flow().set("a", to: "text").add(ModestOp())
    #expect(flow.faults == [])
    #expect(await flow.run().isSuccess)
  }

  @Test func `a group whose input is no array is an error`() {
    let dispatcher = FlowArrayGroupDispatcher(inputKey: "a", outputKey: "b")
    let group = { (flow: Flow) in flow.addGrouped(operationCreator: DoubleOp.self, dispatcher: dispatcher) }
    #expect(
      group(Flow().set("a", to: "no array")).findings == ["error mismatchedData at 1. FlowArrayGroupDispatcher: a"])
    #expect(
      group(Flow().add(WriteOp("a"))).findings == ["error mismatchedData at 2. FlowArrayGroupDispatcher: a"])
    #expect(group(Flow()).findings == ["error missingData at 1. FlowArrayGroupDispatcher: a"])
    #expect(group(Flow().set("a", to: [1])).findings == [])
    #expect(group(Flow().add(SecretWriteOp("a"))).findings == [])
  }

  @Test func `a typed group asks for its own elements`() {
    let texts: FlowKey<[String]> = "texts"
    let group = { (flow: Flow) in flow.forEach(texts) { _, _ in } }
    #expect(group(Flow().set("texts", to: [1])).findings == ["error mismatchedData at 1. texts: texts"])
    #expect(group(Flow().set(texts, to: ["a"])).findings == [])
    #expect(group(Flow()).findings == ["error missingData at 1. texts: texts"])
  }
}
