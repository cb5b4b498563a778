import TestSupport
import Testing

@testable import OperationFlow

extension FlowKey where Value == [Int] {
  fileprivate static var numbers: Self { "numbers" }
  fileprivate static var results: Self { "results" }
}

/// Fails for odd numbers.
private final class EvenOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { EvenOp() }
  @FlowInput var number: Int
  @FlowOutput var result: Int?
  override func run() async throws {
    if !number.isMultiple(of: 2) { throw TestError(name: "\(number)") }
    result = number
  }
}

@Suite(.watched) struct ToleranceTests {
  /// A flow whose group fails for odd numbers, in each way of saying it.
  private enum Form: CaseIterable {
    case array, asyncArray, sequence, asyncSequence, operation, pulledOperation
  }

  private func flow(_ form: Form, _ numbers: [Int], _ tolerance: FlowTolerance, width: Int = 2) -> Flow {
    let even: @Sendable (Int) throws -> Int = { number in
      if !number.isMultiple(of: 2) { throw TestError(name: "\(number)") }
      return number
    }
    let flow = Flow().set(.numbers, to: numbers)
    switch form {
    case .array:
      return flow.forEach(.numbers, into: .results, width: width, tolerating: tolerance) { item, _ in try even(item) }
    case .asyncArray:
      return flow.forEach(.numbers, into: .results, width: width, tolerating: tolerance) { item, _ in
        await Task.yield()
        return try even(item)
      }
    case .sequence:
      let items = numbers[...]
      return flow.forEach(in: items, into: .results, width: width, tolerating: tolerance) { item, _ in try even(item) }
    case .asyncSequence:
      return flow.forEach(in: stream(numbers), into: .results, width: width, tolerating: tolerance) { item, _ in
        await Task.yield()
        return try even(item)
      }
    case .operation:
      return flow.forEach(.numbers, into: .results, width: width, tolerating: tolerance, run: EvenOp.self)
    case .pulledOperation:
      return flow.forEach(in: stream(numbers), into: .results, width: width, tolerating: tolerance, run: EvenOp.self)
    }
  }

  private func stream(_ numbers: [Int]) -> AsyncStream<Int> {
    AsyncStream { continuation in
      for number in numbers { continuation.yield(number) }
      continuation.finish()
    }
  }

  @Test(arguments: Form.allCases) private func `with none the first failure fails the flow`(form: Form) async {
    let outcome = await flow(form, [0, 1, 2, 4, 6, 8], .none, width: 1).run()
    #expect(outcome.error as? TestError == TestError(name: "1"))
    #expect(outcome.report.itemFailures.map(\.index) == [1])
    #expect(outcome.report[.results] == nil)
    #expect(outcome.report.started.count == 2)
    #expect(outcome.report.lines.contains("[Group] not allow failure in group. stop immediately."))
  }

  @Test(arguments: Form.allCases) private func `with all every item is run, and failures are kept`(form: Form) async {
    let outcome = await flow(form, Array(0..<9), .all).run()
    #expect(outcome.isSuccess)
    #expect(outcome.error == nil)
    #expect(outcome.report[.results] == [0, 2, 4, 6, 8])
    let failures = outcome.report.itemFailures.sorted { $0.index < $1.index }
    #expect(failures.map(\.index) == [1, 3, 5, 7])
    #expect(failures.map { $0.input as? Int } == [1, 3, 5, 7])
    #expect(failures.map { $0.error as? TestError } == [1, 3, 5, 7].map { TestError(name: "\($0)") })
    #expect(failures.allSatisfy { $0.name.hasSuffix(" #\($0.index)]") })
  }

  @Test(arguments: Form.allCases) private func `a given number of failures are tolerated, and the next one is not`(
    form: Form
  ) async {
    let tolerated = await flow(form, [1, 2, 3, 4], .failures(2)).run()
    #expect(tolerated.isSuccess)
    #expect(tolerated.report[.results] == [2, 4])
    #expect(tolerated.report.itemFailures.count == 2)
    let exceeded = await flow(form, [1, 2, 3, 4, 5, 6, 8], .failures(2), width: 1).run()
    #expect(exceeded.error as? TestError == TestError(name: "5"))
    #expect(exceeded.report.itemFailures.count == 3)
    #expect(exceeded.report.started.count == 5)
  }

  @Test func `none, and a number of 0, tolerate nothing`() async {
    #expect(FlowTolerance.failures(0) == .none)
    #expect(await flow(.array, [1], .failures(0)).run().error as? TestError == TestError(name: "1"))
  }

  @Test func `every item may fail if all are tolerated`() async {
    let outcome = await flow(.asyncArray, [1, 3, 5], .all).run()
    #expect(outcome.isSuccess)
    #expect(outcome.report[.results] == [])
    #expect(outcome.report.itemFailures.count == 3)
  }

  @Test func `the failures of several groups are kept in the order in which they came`() async {
    let outcome = await Flow()
      .forEach(in: [0], tolerating: .all) { _, _ in throw TestError(name: "first") }
      .forEach(in: [0], tolerating: .all) { _, _ in throw TestError(name: "second") }
      .run()
    #expect(outcome.report.itemFailures.map { "\($0.error)" } == ["TestError(first)", "TestError(second)"])
  }

  @Test func `the flow fails once, when everything that ran has settled`() async {
    let counter = Counter()
    let meeting = Meeting(size: 4)
    let outcome = await Flow()
      .forEach(in: 0..<100, width: 4) { index, _ in
        counter.enter()
        defer { counter.leave() }
        await meeting.attend()
        if index == 0 { throw TestError() }
        await untilCancelled()
      }
      .run()
    #expect(outcome.error as? TestError == TestError())
    #expect(counter.now == 0)
    #expect(counter.total == 4)
    #expect(outcome.report.lines.filter { $0.contains("flow") || $0.hasPrefix("[Group]") }.count == 1)
  }
}
