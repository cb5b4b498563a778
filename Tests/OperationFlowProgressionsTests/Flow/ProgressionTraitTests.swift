import Foundation
import OperationFlowObservation
import TestSupport
import Testing

@testable import OperationFlowProgressions
import OperationFlowReports

extension FlowKey where Value == String {
  fileprivate static var text: Self { "text" }
}

@Suite(.watched) struct ProgressionTraitTests {
  private let store = MemoryProgressionStore()

  private func key(_ parcel: Parcel) -> String { parcel.stepName }
  private func parcels() -> [Parcel] { [.packed("a")] }
  private func stream() -> AsyncStream<Parcel> { AsyncStream { $0.finish() } }

  // MARK: Names and weights

  @Test func `every method takes a name and a weight`() {
    let store = store
    let flows = [
      Flow().progress("p", from: .parcel, .named("x"), .weight(7)),
      Flow().progress("p", .named("x"), .weight(7)) { _ in Parcel.packed("a") },
      Flow().progress("p", from: .parcel, store: store, as: "a", .named("x"), .weight(7)),
      Flow().progress("p", store: store, as: "a", .named("x"), .weight(7)) { _ in Parcel.packed("a") },
      Flow().forEach(.parcels, .named("x"), .weight(7)),
      Flow().forEach(.parcels, store: store, as: key, .named("x"), .weight(7)),
      Flow().forEach(in: parcels(), .named("x"), .weight(7)),
      Flow().forEach(in: stream(), .named("x"), .weight(7)),
    ]
    for flow in flows {
      let step = flow.blueprint.steps.first
      #expect(step?.name == "x" && step?.weight == 7)
    }
  }

  @Test func `a trait's name takes the place of the first, as it does in add`() async throws {
    let report = try await Flow().add("first", .named("a")) { _ in }
      .progress("first", .named("b")) { _ in Parcel.packed("a") }.run().get()
    #expect(report.started == ["[a]", "[b]"])
    #expect(report.steps(of: "[b]") == Parcel.names)
  }

  @Test func `a group's name is that of its items`() async throws {
    let report = try await Flow().set(.parcels, to: parcels()).forEach(.parcels, .named("send")).run().get()
    #expect(report.started == ["[send #1]"])
    #expect(report.steps(of: "[send #1]") == Parcel.names)
  }

  @Test func `a weight counts in the run's progress`() async {
    let (progress, mayBegin) = (Locked<Progress?>(nil), Signal())
    // The fraction is set a little later if the progresses of other runs change at the same time.
    let comesTo: @Sendable (Double) async -> Void = { fraction in
      while abs((progress.withLock { $0 }?.fractionCompleted ?? 0) - fraction) > 0.001 { await Task.yield() }
    }
    let run = Flow().set(.parcels, to: parcels())
      .add("wait", .weight(0)) { _ in await mayBegin.wait() }
      .progress("send", .weight(3)) { _ in Parcel.packed("a") }
      .add("look") { _ in await comesTo(0.3) }
      .forEach(.parcels, .weight(4))
      .add("look again", .weight(2)) { _ in await comesTo(0.8) }
      .start()
    progress.withLock { $0 = run.progress }
    mayBegin.fire()
    #expect(await run.outcome.isSuccess)
  }

  // MARK: Keys

  @Test func `what the closure reads is checked before the run`() async throws {
    let flow = Flow().progress("send", into: .receipt, .reads(.text)) { Parcel.packed(try $0.require(.text)) }
    #expect(flow.faults == ["error missingData at 1. send: text"])
    #expect(try await flow.run { $0[.text] = "b" }.get()[.receipt] == "b!")
    #expect(Flow().set(.parcels, to: []).forEach(.parcels, .reads(.text)).faults.count == 1)
  }

  @Test func `what the closure writes is known before the run`() {
    let start: @Sendable (ProgressionOperation<Parcel>) -> Parcel = { _ in .packed("a") }
    #expect(Flow().progress("send", .writes(.count), from: start).add(ReadOp("count")).faults == [])
    let faults = ["error missingData at 2. ReadOp: other"]
    #expect(Flow().progress("send", .writes(.count), from: start).add(ReadOp("other")).faults == faults)
    #expect(Flow().progress("send", .writesNothing, from: start).add(ReadOp("other")).faults == faults)
    let stored = Flow().progress("send", store: store, as: "a", .writesNothing, from: start)
    #expect(stored.add(ReadOp("other")).faults == faults)
  }

  @Test func `without an output, what reads its first step from the bucket writes nothing`() {
    let flows = [
      Flow().progress("send", from: .parcel), Flow().progress("send", from: .parcel, store: store, as: "a"),
      Flow().add(ProgressionOperation(from: .parcel), .writesNothing),
      Flow().forEach(.parcels), Flow().forEach(.parcels, store: store, as: key),
      Flow().forEach(in: parcels()), Flow().forEach(in: stream()),
    ]
    for flow in flows {
      #expect(flow.blueprint.steps.map(\.mayWriteAnything) == [false])
      let known = Flow().set(.parcel, to: .packed("a")).set(.parcels, to: []).add(flow: flow).add(ReadOp("other"))
      #expect(known.faults == ["error missingData at 2. ReadOp: other"])
    }
  }

  @Test func `keys are declared beside the step's own, and the one that isn't written is warned of`() async throws {
    let flow = Flow().set(.parcel, to: .packed("a")).set(.parcels, to: parcels()).set(.text, to: "b")
      .progress("send", from: .parcel, into: .receipt, .reads(.text), .writes(.count))
      .forEach(.parcels, into: .receipts, .reads(.text))
    #expect(Flow().add(flow: flow).add(ReadOp("count")).faults == [])
    #expect(flow.blueprint.steps.first?.outputs.map(\.name) == ["receipt", "count"])
    let report = try await flow.run().get()
    #expect(report[.receipt] == "a!" && report[.receipts] == ["a!"])
    let warnings = report.events.compactMap { if case .warned(let text) = $0.kind { text } else { nil } }
    #expect(warnings.count == 1 && warnings[0].hasPrefix("<count> is declared as an output, and was not written"))
  }
}
