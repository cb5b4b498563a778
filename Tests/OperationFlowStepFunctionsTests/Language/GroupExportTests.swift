import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.watched) struct GroupExportTests {
  private func closures(_ tolerance: FlowTolerance, width: Int = 2, retry: FlowRetryPolicy = .attempts(1)) -> Flow {
    Flow("Group").forEach(.numbers, into: .squares, width: width, tolerating: tolerance, .reads(.count), .retry(retry))
    {
      number, context in
      if number < 0 { throw TestError(name: "negative \(number)") }
      return number * (try context.require(.count))
    }
  }

  @Test(arguments: [[], [1], [3, 1, 2], Array(0..<9)]) func `outputs come in the order of the items`(
    numbers: [Int]
  ) async throws {
    try await expectSame(closures(.none), with: ["numbers": numbers, "count": 3])
    try await expectSame(Flow().forEach(.numbers, into: .squares, run: SquareOp.self), with: ["numbers": numbers])
  }

  @Test(arguments: [FlowTolerance.none, .failures(1), .share(0.4), .all], [[1, -1, 2], [-1, -2, 3], [1, 2, 3]])
  func `as many failures are tolerated as here`(tolerance: FlowTolerance, numbers: [Int]) async throws {
    try await expectSame(closures(tolerance), with: ["numbers": numbers, "count": 2])
    try await expectSame(
      Flow().forEach(.numbers, into: .squares, tolerating: tolerance, run: SquareOp.self), with: ["numbers": numbers])
  }

  @Test func `a tolerated failure keeps its index and its cause`() async throws {
    let run = try await expectSame(closures(.failures(1)), with: ["numbers": [5, -4, 6, 7, 8, 9], "count": 1])
    guard case .success(let value) = run.result else { return }
    let failures = try #require(value["operationFlow"]?["failures"]?["1. numbers"]?.elements)
    #expect(failures.count == 1 && failures[0]["index"] == .number(1))
    #expect(failures[0]["cause"]?.text?.contains("negative -4") == true)
  }

  @Test func `two failures of eight are one too many, and the failure says which`() async throws {
    let run = try await expectSame(
      closures(.failures(1)), with: ["numbers": [1, -2, 3, 4, -5, 6, 7, 8], "count": 1])
    let cause = try #require(run.failure?.cause)
    #expect(cause.contains("2 of 8 items failed, 1 tolerated") && cause.contains("#2"), "\(cause)")
  }

  @Test(arguments: [FlowTolerance.none, .all], ["ages", "the ages"])
  func `an output that is nothing keeps its place`(tolerance: FlowTolerance, name: String) async throws {
    let ages = FlowKey<[Int?]>(name)
    let flow = Flow().forEach(.numbers, into: ages, tolerating: tolerance) { number, _ in number > 0 ? number : nil }
    let run = try await expectSame(flow, with: ["numbers": [30, 0, 41]])
    #expect(run.values?[name] == .array([.number(30), .null, .number(41)]))
  }

  @Test func `a group is distributed if it is wide, or if that is asked for`() async throws {
    func mode(_ flow: Flow, _ options: StateMachineOptions = StateMachineOptions()) async throws -> Value? {
      let run = try await expectSame(flow, with: ["numbers": [1, 2], "count": 1], options: options)
      let states = try Value(run.definition.json)["States"]?.members?.values.first { $0["Type"] == .text("Map") }
      return states?["ItemProcessor"]?["ProcessorConfig"]?["Mode"]
    }
    #expect(try await mode(closures(.none, width: 40)) == .text("INLINE"))
    #expect(try await mode(closures(.none, width: 41)) == .text("DISTRIBUTED"))
    #expect(
      try await mode(closures(.none), StateMachineOptions(distributedGroups: ["numbers"])) == .text("DISTRIBUTED"))
  }

  @Test(arguments: [[], ["numbers"]] as [Set<String>])
  func `items belong to the execution of their flow, also if they are executions of their own`(
    distributed: Set<String>
  ) async throws {
    let keys = Journal<String>()
    let flow = Flow().forEach(.numbers, width: 1) { _, context in keys.append(context.idempotencyKey) }
    let options = StateMachineOptions(distributedGroups: distributed)
    _ = try await ExportedRun(flow, with: ["numbers": [4, 5]], options: options)
    #expect(keys.entries == ["run-1/1. numbers#0", "run-1/1. numbers#1"])
  }

  @Test(arguments: [FlowTolerance.none, .all]) func `items get only what their operations read`(
    tolerance: FlowTolerance
  ) async throws {
    let flow = Flow().forEach(.numbers, into: .squares, tolerating: tolerance, run: ShiftOp.self)
    let run = try await expectSame(flow, with: ["numbers": [1, 2], "count": 5])
    #expect(run.values?["squares"] == .array([.number(6), .number(7)]))
    let map = try Value(run.definition.json)["States"]?.members?.values.first { $0["Type"] == .text("Map") }
    #expect(map?["ItemSelector"]?["bucket"] == .object(["count.$": .text("$.count")]))
  }

  @Test func `an untyped group finds its items`() async throws {
    let flow = Flow().addGrouped(
      operationCreator: SquareOp.self,
      dispatcher: FlowArrayGroupDispatcher(inputKey: "numbers", outputKey: "squares", allowFailure: true))
    try await expectSame(flow, with: ["numbers": [3, -1, 0, 2]])
  }

  @Test func `an item that writes into the bucket is a failure that is not retried`() async throws {
    let flow = Flow().forEach(.numbers, .retry(.attempts(3))) { number, context in context[.count] = number }
    let run = try await ExportedRun(flow, with: ["numbers": [1]])
    #expect(run.failure?.error == FlowTaskFailure.finalName)
    #expect(run.failure?.cause.contains("wrote <count>") == true)
  }
}
