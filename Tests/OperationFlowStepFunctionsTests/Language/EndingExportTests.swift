import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.watched) struct EndingExportTests {
  /// Runs a flow here and on the interpreter, and expects the same lines.
  private func expectSameLines(
    with data: [String: any Sendable] = [:], sourceLocation: SourceLocation = #_sourceLocation,
    _ make: (Journal<String>) -> Flow
  ) async throws -> [String] {
    let (here, there) = (Journal<String>(), Journal<String>())
    let outcome = await make(here).run(with: data)
    let run = try await ExportedRun(make(there), with: data, sourceLocation: sourceLocation)
    #expect(outcome.isSuccess == (run.failure == nil), "\(run.result)", sourceLocation: sourceLocation)
    #expect(here.entries == there.entries, sourceLocation: sourceLocation)
    if let failure = run.failure, let error = outcome.error {
      #expect(failure.cause.contains("\(error)"), sourceLocation: sourceLocation)
    }
    return there.entries
  }

  @Test(arguments: ["A", "B"]) func `undos run in reverse, and the first error is the execution's`(
    target: String
  ) async throws {
    let lines = try await expectSameLines(with: ["target": target]) { lines in
      Flow()
        .add("a", .writes(.count), .undo { lines.append("undo a \($0[.count] ?? 0)") }) { $0[.count] = 1 }
        .cases(on: .target) {
          $0.when("A") {
            $0.add("in A", .undo { _ in lines.append("undo in A") }) { $0[.target] = "B" }
          }
          $0.otherwise { $0.add("in other", .undo { _ in lines.append("undo in other") }) { _ in } }
        }
        .add(
          flow: Flow("Inner").add(
            "b",
            .undo { context in
              lines.append("undo b, \(context.ending?.error == nil ? "no error" : "an error")")
              throw TestError(name: "undo")
            }
          ) { _ in }
        )
        .add("fails", .undo { _ in lines.append("never") }) { _ in throw TestError(name: "first") }
        .add("after", .undo { _ in lines.append("never") }) { _ in lines.append("never") }
    }
    #expect(lines == ["undo b, an error", target == "A" ? "undo in A" : "undo in other", "undo a 1"])
  }

  /// A failure after a step that can be undone.
  enum Trouble: CaseIterable, Sendable {
    case operation, condition, items, fewItems, branch, nested, inCase

    func add(to flow: Flow) {
      let fails: @Sendable (FlowContext) throws -> Void = { _ in throw TestError(name: "trouble") }
      let fail: @Sendable (Int, FlowContext) throws -> Int = { _, _ in throw TestError(name: "trouble") }
      switch self {
      case .operation: flow.add("fails", .reads(.count), .writes(.total)) { try fails($0) }
      case .condition: flow.add("fails", .when { _ in throw TestError(name: "trouble") }) { _ in }
      case .items: flow.forEach(.numbers, into: .squares) { try fail($0, $1) }
      case .fewItems: flow.forEach(.numbers, into: .squares, tolerating: .failures(1)) { try fail($0, $1) }
      case .branch: flow.parallel { $0.branch("b") { $0.add("fails") { try fails($0) } } }
      case .nested: flow.add(flow: Flow("Inner").add("fails") { try fails($0) })
      case .inCase: flow.cases(on: .count) { $0.when(1) { $0.add("fails") { try fails($0) } } }
      }
    }
  }

  @Test(arguments: Trouble.allCases) func `undos follow a failure, wherever it was`(trouble: Trouble) async throws {
    let lines = try await expectSameLines(with: ["numbers": [1, 2]]) { lines in
      let flow = Flow().add("a", .writes(.count), .undo { _ in lines.append("undo") }) { $0[.count] = 1 }
      trouble.add(to: flow)
      return flow.add("after") { _ in lines.append("after") }.always { $0.add("end") { _ in lines.append("end") } }
    }
    #expect(lines == ["undo", "end"])
  }

  @Test(arguments: [[1, 2, 3], [1, -1, 3]]) func `the items of a group are undone, the last first`(
    numbers: [Int]
  ) async throws {
    let lines = try await expectSameLines(with: ["numbers": numbers]) { lines in
      Flow()
        .forEach(
          .numbers, into: .squares, width: 1, tolerating: .failures(1),
          .undo { context in
            lines.append("undo \(context.index ?? -1): \(try context.item() as Int) to \(try context.output() as Int)")
          }
        ) { number, _ in
          if number < 0 { throw TestError() }
          return number * number
        }
        .add("fails") { _ in throw TestError(name: "late") }
    }
    #expect(lines.first == "undo 2: 3 to 9" && lines.count == (numbers[1] > 0 ? 3 : 2))
  }

  @Test func `a group that fails undoes the items that have succeeded`() async throws {
    let lines = Journal<String>()
    let flow = Flow().forEach(.numbers, width: 1, .undo { lines.append("undo \($0.index ?? -1)") }) { number, _ in
      if number < 0 { throw TestError() }
    }
    let run = try await ExportedRun(flow, with: ["numbers": [1, 2, -3]])
    #expect(run.failure?.cause.contains("1 of 3 items failed") == true)
    #expect(lines.entries == ["undo 1", "undo 0"])
  }

  @Test(arguments: [true, false]) func `what always runs does so, and knows how the run has ended`(
    fails: Bool
  ) async throws {
    let lines = try await expectSameLines { lines in
      Flow()
        .add("a", .undo { _ in lines.append("undo") }) { _ in if fails { throw TestError(name: "early") } }
        .always("One") { flow in
          flow.add("one") { lines.append($0.ending?.isSuccess == true ? "success" : "failure") }
            .add("two") { _ in throw TestError(name: "late") }.add("three") { _ in lines.append("never") }
        }
        .always("Two") { $0.add("four", .writesNothing) { _ in lines.append("four") } }
    }
    #expect(lines == [fails ? "failure" : "success", "four"])
  }

  @Test(arguments: [true, false], [FlowTolerance.none, .all])
  func `items of a group that always runs know how the run has ended`(fails: Bool, tolerance: FlowTolerance)
    async throws
  {
    let lines = try await expectSameLines(with: ["numbers": [1]]) { lines in
      Flow().add("a") { _ in if fails { throw TestError(name: "early") } }
        .always { flow in
          flow.forEach(.numbers, tolerating: tolerance, .reads(.numbers)) { number, context in
            lines.append("\(number) \(context.ending.map { $0.isSuccess ? "success" : "failure" } ?? "unknown")")
          }
        }
    }
    #expect(lines == [fails ? "1 failure" : "1 success"])
  }

  @Test func `undos of parallel branches run, and of the branch that has failed too`() async throws {
    let done = Journal<String>()
    let flow = Flow()
      .add("first", .undo { _ in done.append("first") }) { _ in }
      .parallel {
        $0.branch("left") { $0.add("l1", .undo { _ in done.append("l1") }) { $0[.count] = 1 } }
        $0.branch("right") {
          $0.add("r1", .undo { _ in done.append("r1") }) { _ in }.add("r2") { _ in throw TestError(name: "right") }
        }
      }
      .add("never") { _ in done.append("never") }
    let run = try await ExportedRun(flow)
    #expect(run.failure?.cause.contains("TestError(right)") == true)
    #expect(done.entries == ["r1", "l1", "first"])
  }

  @Test func `parallel branches write into one bucket`() async throws {
    let flow = Flow().set(.count, to: 1).set(.total, to: 5)
      .parallel {
        $0.branch("left") { $0.add("l", .writes(.count)) { $0[.count] = 2 } }
        $0.branch("right") { $0.add("r") { $0[.total] = nil }.add("s") { $0[.name] = "s" } }
        $0.branch("none") {
          $0.cases(on: .target) { $0.when("A") { $0.add("t") { _ in } } }.add("u") { $0[.target] = "u" }
        }
      }
      .add("after") { $0[.isWanted] = $0[.count] == 2 }
    let run = try await expectSame(flow)
    #expect(run.values == ["count": .number(2), "a name": .text("s"), "isWanted": .boolean(true)])
  }

  @Test func `an error of the engine ends a flow that was undone under a name that engines take`() async throws {
    let undone = Journal<Int>()
    let flow = Flow("F").add("a", .undo { _ in undone.append(1) }) { _ in }.add("b", .writesNothing) { _ in }
    let performer = FlowTaskPerformer(flow)
    let interpreter = Interpreter { input in
      if try FlowTask(json: input).step == "2. b" { throw Interpreter.Failure(error: "States.Timeout", cause: "") }
      return try await performer.perform(input)
    }
    let definition = try flow.amazonStatesLanguage(activity: "arn:aws:states:eu-central-1:000000000000:activity:A")
    let result = await interpreter.run(definition, Data("{}".utf8))
    guard case .failure(let failure) = result else { throw TestError(name: "\(result)") }
    #expect(failure.error == FlowTaskFailure.failedName && failure.cause.hasPrefix("States.Timeout: "))
    #expect(failure.cause.contains("the history of the execution or of one that its map has started"))
    #expect(undone.entries == [1])
  }
}
