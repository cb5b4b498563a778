import Foundation
import TestSupport
import Testing

@testable import OperationFlowProgressions

@Suite(.long) struct ProgressionOperationTests {
  @Test func `it goes from the step in the bucket to the result in the bucket, and says every step`() async throws {
    let report = try await Flow().set(.parcel, to: .packed("a"))
      .add(ProgressionOperation(from: .parcel, into: .receipt)).run().get()
    #expect(report[.receipt] == "a!")
    #expect(report.steps(of: "[ProgressionOperation<Parcel>]") == Parcel.names)
    #expect(report.summary.contains("[ProgressionOperation<Parcel>] step: signed\n"))
  }

  @Test func `what a step holds is never shown`() async throws {
    let secret = Parcel.sent("a", secret: "correct horse")
    let report = try await Flow().set(.parcel, to: .packed("a")).set(.parcels, to: [secret]).set("other", to: secret)
      .progress("parcel", from: .parcel).run().get()
    #expect(report.steps(of: "[parcel]") == Parcel.names)
    #expect(!report.summary.contains("hunter2") && !report.summary.contains("correct horse"))
    #expect(report.summary.contains("\nother: sent\nparcel: packed\nparcels: [sent]\n"))
  }

  @Test func `a closure makes the first step of what is in the bucket, and the step has a name`() async throws {
    let report = try await Flow().set("name", to: "b")
      .progress("send", into: .receipt) { Parcel.packed(try $0.require("name")) }.run().get()
    #expect(report[.receipt] == "b!" && report.started == ["[send]"])
  }

  @Test func `a value that the closure misses, or of another type, fails the step`() async {
    let flow = Flow("Post").progress("send", into: .receipt) { Parcel.packed(try $0.require("name")) }
    let missing = await flow.run()
    #expect(missing.code == .missingData && (missing.error as? FlowError)?.key == "name")
    #expect((missing.error as? FlowError)?.step == "[send]" && (missing.error as? FlowError)?.flow == "Post")
    #expect(await flow.run(with: ["name": 1]).code == .mismatchedData)
  }

  @Test func `a missing first step is found before the run`() async {
    let flow = Flow().add("before") { _ in }.progress("send", from: .parcel, into: .receipt)
    #expect(Flow().progress("send", from: .parcel).faults == ["error missingData at 1. send: parcel"])
    #expect(
      Flow().add(ProgressionOperation(from: .parcel)).faults == [
        "error missingData at 1. ProgressionOperation<Parcel>: parcel"
      ])
    #expect(await flow.run().code == .missingData)
    #expect(Flow().set("parcel", to: 1).progress("send", from: .parcel).validate().first?.code == .mismatchedData)
  }

  @Test func `its output is known before the run, also if a closure makes its first step`() {
    let start: @Sendable (ProgressionOperation<Parcel>) -> Parcel = { _ in .packed("a") }
    #expect(Flow().progress("send", into: .receipt, from: start).add(ReadOp("receipt")).faults.count == 1)
    #expect(Flow().progress("send", into: .receipt, from: start).add(ReadOp("other")).faults.count == 1)
    let counting = Flow().progress("count", into: .count) { _ in UpdatingCount(to: 1) }
    #expect(counting.add(ReadOp("count")).faults == [])
    // A progression without a declared output may write anything, as far as the check can see, unless it has an input
    // key.
    #expect(Flow().progress("send", from: start).add(ReadOp("other")).faults == [])
    let known = Flow().set(.parcel, to: .packed("a")).progress("send", from: .parcel).add(ReadOp("other"))
    #expect(known.faults == ["error missingData at 2. ReadOp: other"])
  }

  @Test(arguments: countings)
  func `each way of writing steps works`(type: any Counting.Type) async {
    func outcome<Count: Counting>(_ type: Count.Type) async -> FlowOutcome {
      await Flow().progress("count", into: .count) { _ in type.init(to: 20) }.run()
    }
    let report = await outcome(type).report
    #expect(report[.count] == 20)
    #expect(report.steps() == Array(repeating: "\(type)", count: 21))
  }

  @Test func `a million steps need no stack, and the record keeps its bounds`() async {
    let outcome = await Flow().progress("count", into: .count) { _ in UpdatingCount(to: TestSettings.longCount) }.run()
    #expect(outcome.report[.count] == TestSettings.longCount)
    #expect(outcome.report.events.count < 2_100)
  }

  @Test func `a progression that has its result takes no step`() async {
    let outcome = await Flow().set(.parcel, to: .delivered("z")).progress("send", from: .parcel, into: .receipt).run()
    #expect(outcome.report[.receipt] == "z" && outcome.report.steps() == ["delivered"])
  }

  @Test func `what a step throws is what the flow fails with, and nothing is written`() async {
    let outcome = await Parcel.$work.withValue({ if $0 == "sent" { throw TestError() } }) {
      await Flow().set(.parcel, to: .packed("a")).progress("send", from: .parcel, into: .receipt).run()
    }
    #expect(outcome.error is TestError)
    #expect(outcome.report[.receipt] == nil && outcome.report.steps() == ["packed", "sent"])
  }

  @Test func `a type that writes no step fails with the library's error`() async {
    let outcome = await Flow().progress("none") { _ in UnwrittenStep() }.run()
    #expect(outcome.code == .notImplemented)
  }

  @Test func `cancelling between two steps stops it there`() async {
    let flow = Flow()
    let seen = Journal<String>()
    let outcome = await Parcel.$work.withValue({ step in
      seen.append(step)
      if step == "sent" {
        flow.cancel()
        // The run's task may still be starting. Then the code that starts the task cancels it a moment later.
        await untilCancelled()
      }
    }) {
      await flow.progress("send", into: .receipt) { _ in Parcel.packed("a") }.run()
    }
    #expect(outcome.isCancelled && outcome.report[.receipt] == nil)
    #expect(seen.entries == ["packed", "sent"])
  }

  @Test func `cancelling reaches into an asynchronous step`() async {
    let isInside = Signal()
    let run = Parcel.$work.withValue({ _ in
      await isInside.fireUntilCancelled()
      try Task.checkCancellation()
    }) {
      Flow().progress("send", into: .receipt) { _ in Parcel.packed("a") }.start()
    }
    #expect(await run.outcome(cancelledAfter: isInside).isCancelled)
  }

  @Test func `it runs alone, with values of its own`() async {
    let operation = ProgressionOperation<Parcel>(from: .parcel, into: .receipt)
    operation.setData(name: .parcel, value: .packed("a"))
    await withCheckedContinuation { continuation in
      operation.completionBlock = { continuation.resume() }
      operation.start()
    }
    #expect(operation.getData(name: .receipt) == "a!")
  }

  @Test func `it can be the first of a branch`() async {
    let flow = Flow().cases(on: "to") {
      $0.when("A") { $0.progress("a", into: .receipt) { _ in Parcel.packed("a") } }
      $0.when("B") { $0.progress("b", into: .receipt) { _ in Parcel.packed("b") } }
    }
    #expect(await flow.run(with: ["to": "B"]).report[.receipt] == "b!")
    #expect(await flow.run(with: ["to": "A"]).report[.receipt] == "a!")
  }
}

/// Doesn't implement any way to continue, and is sendable.
///
/// It stores a value because the compiler passes no valid address for an `inout` value without storage, and the thread
/// sanitizer reads that address.
private struct UnwrittenStep: Progression {
  let storage = 0
  var result: Int? { nil }
}
