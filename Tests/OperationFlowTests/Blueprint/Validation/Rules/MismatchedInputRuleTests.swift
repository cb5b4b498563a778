import Foundation
import OperationFlow
import TestSupport
import Testing

/// Reads a value of one type, and writes a value of another.
private final class TypedOp<Input: Sendable, Output: Sendable>: FlowOperation, @unchecked Sendable {
  @FlowInput var input: Input
  @FlowOutput var output: Output?

  init(_ source: FlowKey<Input>, _ target: FlowKey<Output>) {
    _input = FlowInput(source)
    _output = FlowOutput(target)
  }
}
/// Has only inputs that may be missing.
private final class DefaultOp: FlowOperation, @unchecked Sendable {
  @FlowInput var a: Int = 3
  @FlowInput var b: String?
  override func run() async {}
}
private final class MaybeOp: FlowOperation, @unchecked Sendable {
  @FlowOutput(FlowKey<Int?>("a")) var a
}
private final class SquareOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { SquareOp() }
  @FlowInput var side: Int
  @FlowInput var token: String
  @FlowOutput var area: Int?
  override func run() async { area = side * side }
}
private final class MockableOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static let isMock = Locked(true)
  static func create() -> FlowOperation { isMock.withLock { $0 } ? SuccessOp() : MockableOp() }
  @FlowInput var file: String
  @FlowOutput var url: String?
  override func run() async { url = "url of \(file)" }
}

private class Animal: @unchecked Sendable {}
private final class Dog: Animal, @unchecked Sendable {}
private protocol Speaker {}
private struct Parrot: Speaker, CustomStringConvertible { let description = "parrot" }

/// Values whose type their readers don't accept, or that several steps write with different types.
@Suite(.watched) struct MismatchedInputRuleTests {
  /// Returns a flow in which one step writes a type and the next reads another, under the same name.
  private func passing<Written: Sendable, Read: Sendable>(_: Written.Type, as _: Read.Type) -> Flow {
    Flow().set("start", to: 1)
      .add(TypedOp<Int, Written>("start", "value")).add(TypedOp<Read, Int>("value", "end"))
  }

  @Test func `findings name both types and both steps`() {
    let read = passing(String.self, as: Int.self)
    check("read", read, "error mismatchedData at 2. TypedOp<Int, Int>: value")
    let problem = read.validate().first
    #expect(problem?.problem == "<value> is read as <Int>, but 1. TypedOp<Int, String> writes a <String>.")
    #expect(problem?.remedy.contains("Int") == true)
    let written = Flow().add(WriteOp("a")).add(WriteTextOp("a")).validate().first
    #expect(written?.problem == "It writes a <String> under <a>, over the <Int> of 1. WriteOp.")
    #expect(written?.remedy == "Give one of them another key.")
    let unused = Flow().set("a", to: "x").add(DefaultOp()).validate().first
    #expect(
      unused?.problem
        == "<a> is read as <Int>, but the data bucket holds a <String> at first: the step goes on without that value.")
  }

  @Test func `types that never fit are found`() {
    for flow in [
      passing(Int.self, as: Double.self), passing([Int].self, as: Int.self), passing([Int].self, as: Set<Int>.self),
      passing(URL.self, as: String.self), passing(String?.self, as: Int.self),
      passing(Date.self, as: [String: Int].self),
    ] {
      #expect(flow.faults.count == 1)
    }
  }

  @Test func `types that may fit are left alone, and an optional is read as what it holds`() {
    for flow in [
      passing(Int.self, as: Int.self), passing(Animal.self, as: Dog.self), passing(Dog.self, as: Animal.self),
      passing([Animal].self, as: [Dog].self), passing((any Sendable).self, as: Int.self),
      passing(Int.self, as: (any Sendable).self), passing([any Sendable].self, as: [Int].self),
      passing([Int].self, as: [any Sendable].self), passing((any Speaker & Sendable).self, as: Parrot.self),
      passing(Parrot.self, as: (any Speaker & Sendable).self),
      passing([String: Int].self, as: [String: any Sendable].self), passing((any Error).self, as: TestError.self),
      passing(String?.self, as: String.self), passing(String??.self, as: String.self),
    ] {
      #expect(flow.faults == [])
    }
  }

  @Test func `a value that is there at first is judged by itself`() {
    check("a text", Flow().set("a", to: "1").add(CopyOp("a")), "error mismatchedData at 1. CopyOp: a")
    check(
      "an animal that is no dog", Flow().set("pet", to: Animal()).add(TypedOp<Dog, Int>("pet", "end")),
      "error mismatchedData at 1. TypedOp<Dog, Int>: pet")
    check("a dog", Flow().set("pet", to: Dog()).add(TypedOp<Animal, Int>("pet", "end")))
    let list: [any Sendable] = [1, 2]
    check("anything that is Int", Flow().set("list", to: list).add(TypedOp<[Int], Int>("list", "end")))
    check(
      "and no String", Flow().set("list", to: list).add(TypedOp<[String], Int>("list", "end")),
      "error mismatchedData at 1. TypedOp<Array<String>, Int>: list")
  }

  @Test func `only what a reader may find is held against it`() {
    #expect(Flow().set("a", to: "text").add(WriteOp("a")).add(CopyOp("a")).faults == [])
    #expect(Flow().add(WriteTextOp("a")).add(WriteOp("a")).add(CopyOp("a")).faults == [])
    #expect(Flow().set("a", to: "text").add(SecretWriteOp("a")).add(CopyOp("a")).faults == [])
    let branches = Flow().set("target", to: "A").cases(on: "target") {
      $0.when("A") { $0.add(WriteOp("a")) }
      $0.otherwise { $0.add(WriteTextOp("a")) }
    }
    check("branches don't overwrite each other", branches)
    #expect(branches.add(CopyOp("a")).findings == ["warning mismatchedData at 2. CopyOp: a"])
  }

  @Test func `a value that an optional input can't take is a warning, as the step goes on without it`() async {
    let flow = Flow().set(FlowKey<String>("a"), to: "x").set(FlowKey<Int>("b"), to: 1).add(DefaultOp())
    check(
      "at first", flow, "warning mismatchedData at 1. DefaultOp: a", "warning mismatchedData at 1. DefaultOp: b")
    #expect(await flow.run().isSuccess)
    check("written", Flow().add(WriteTextOp("a")).add(DefaultOp()), "warning mismatchedData at 2. DefaultOp: a")
    check(
      "read by a closure",
      Flow().add(WriteOp("a")).add("read", .reads(optional: FlowKey<String>("a")), .writesNothing) { _ in },
      "warning mismatchedData at 2. read: a")
    check("what fits", Flow().add(WriteOp("a")).add(WriteTextOp("b")).add(DefaultOp()))
    check("what isn't known", Flow().add(SecretWriteOp("a")).add(DefaultOp()))
  }

  @Test func `an output over a value of another type is a warning`() async {
    let written = Flow().add(WriteOp("a")).add(WriteTextOp("a"))
    check("written", written, "warning mismatchedData at 2. WriteTextOp: a")
    #expect(await written.run().report["a"] == "text")
    check("at first", Flow().set("a", to: 1).add(WriteTextOp("a")), "warning mismatchedData at 1. WriteTextOp: a")
    check(
      "a group's output is an array",
      Flow().set("a", to: 1).forEach(in: [1], into: "a" as FlowKey<[Int]>) { item, _ in item },
      "warning mismatchedData at 1. forEach: a")
    check("the same type", Flow().set("a", to: 1).add(WriteOp("a")).add(WriteOp("a")))
    check("an optional of the same type", Flow().add(WriteOp("a")).add(MaybeOp()))
    check("another name", Flow().add(WriteOp("a")).add(WriteTextOp("b")))
    check("not known any more", Flow().add(WriteOp("a")).add(SecretWriteOp("b")).add(WriteTextOp("a")))
    let branches = Flow().set("target", to: "A").cases(on: "target") {
      $0.when("A") { $0.add(WriteOp("a")) }
      $0.otherwise { $0.add(WriteTextOp("a")) }
    }
    check("one of two", branches.add(WriteOp("a")), "warning mismatchedData at 2. WriteOp: a")
  }

  // MARK: Groups

  @Test func `a group reads an array, and a typed one its own elements`() {
    let dispatcher = FlowArrayGroupDispatcher(inputKey: "a", outputKey: "b")
    let group = { (flow: Flow) in flow.addGrouped(operationCreator: DoubleOp.self, dispatcher: dispatcher) }
    let place = "FlowArrayGroupDispatcher: a"
    check("no array", group(Flow().set("a", to: "no array")), "error mismatchedData at 1. " + place)
    check("a number", group(Flow().add(WriteOp("a"))), "error mismatchedData at 2. " + place)
    check("nothing", group(Flow()), "error missingData at 1. " + place)
    check("an array", group(Flow().set("a", to: [1])))
    check("not known", group(Flow().add(SecretWriteOp("a"))))
    let texts: FlowKey<[String]> = "texts"
    let typed = { (flow: Flow) in flow.forEach(texts) { _, _ in } }
    check("numbers", typed(Flow().set("texts", to: [1])), "error mismatchedData at 1. texts: texts")
    check("texts", typed(Flow().set(texts, to: ["a"])))
    check("no texts", typed(Flow()), "error missingData at 1. texts: texts")
  }

  private func squares<Item: Sendable, Output: Sendable>(
    _ items: [Item], _ output: FlowKey<[Output]>, token: String? = "t", tolerating tolerance: FlowTolerance = .none
  ) -> Flow {
    Flow().set("items", to: items).set("token", to: token)
      .forEach("items" as FlowKey<[Item]>, into: output, tolerating: tolerance, run: SquareOp.self)
  }

  @Test func `a group's operation must fit the items, what is collected, and what is there beside them`() async {
    let (areas, texts) = ("areas" as FlowKey<[Int]>, "areas" as FlowKey<[String]>)
    check("types that fit", squares([2, 3], areas))
    #expect(await squares([2, 3], areas).run().report[areas] == [4, 9])
    let items = squares(["2"], areas).validate()
    #expect(items.map(\.code) == [.mismatchedData] && items.map(\.severity) == [.error])
    #expect(items.first?.problem == "SquareOp reads its item <side> as <Int>, and is given a <String>.")
    let outputs = squares([2], texts).validate().first
    #expect(outputs?.problem == "SquareOp writes a <Int> under <area>, where <String> is collected.")
    check("what an item reads beside it", squares([2], areas, token: nil), "error missingData at 1. items: token")
    #expect(await squares([2], areas, token: nil).run().code == .missingData)
    let empty = squares([Int](), areas, token: nil)
    check("without items it isn't read", empty)
    #expect(await empty.run().isSuccess)
    let tolerated = squares(["2"], texts, token: nil, tolerating: .all)
    check("failures are tolerated", tolerated)
    #expect(await tolerated.run().isSuccess)
  }

  private final class AreaOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
    static func create() -> FlowOperation { AreaOp() }
    @FlowInput var side: Int = 3
    @FlowOutput var area: Int?
    override func run() async throws { area = side * side }
  }

  @Test func `an item of another type is a warning if the operation can do without it`() async {
    let areas = "areas" as FlowKey<[Int]>
    let flow = Flow().forEach(in: ["2", "x"], into: areas, run: AreaOp.self)
    let known = Flow().set("items", to: ["2"]).forEach("items" as FlowKey<[String]>, into: areas, run: AreaOp.self)
    #expect(known.validate().map(\.severity) == [.warning])
    #expect(
      known.validate().first?.problem
        == "AreaOp reads its item <side> as <Int>, and is given a <String>: it goes on without that value.")
    #expect(await known.run().report[areas] == [9])
    #expect(await flow.run().report[areas] == [9, 9])
  }

  @Test func `a creator that makes something else now and then poisons nothing`() async {
    #expect(await Flow().set("file", to: "f").add(MockableOp.create()).run().isSuccess)
    MockableOp.isMock.withLock { $0 = false }
    let outcome = await Flow().set("file", to: "f").add(MockableOp.create()).run()
    #expect(outcome.report["url"] == "url of f")
  }
}
