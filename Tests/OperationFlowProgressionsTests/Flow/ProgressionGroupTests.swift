import TestSupport
import Testing

@testable import OperationFlowProgressions

@Suite(.watched) struct ProgressionGroupTests {
  private let parcels = ["a", "b", "c", "d"].map(Parcel.packed)

  @Test func `each item runs to its result, in input order, and its steps are its events`() async throws {
    let report = try await Flow().set(.parcels, to: parcels).forEach(.parcels, into: .receipts, width: 3).run().get()
    #expect(report[.receipts] == ["a!", "b!", "c!", "d!"])
    for index in parcels.indices { #expect(report.steps(of: "[parcels #\(index + 1)]") == Parcel.names) }
  }

  @Test(arguments: [1, 3]) func `as many run at once as the width says`(width: Int) async {
    let meeting = Meeting(size: width)
    let parcels = Array(repeating: Parcel.signed("a", by: 1), count: width * 4)
    let outcome = await Parcel.$work.withValue({ _ in await meeting.attend() }) {
      await Flow().set(.parcels, to: parcels).forEach(.parcels, into: .receipts, width: width).run()
    }
    #expect(outcome.report[.receipts]?.count == width * 4)
    #expect(meeting.peak == width)
  }

  @Test func `what is tolerated is left out, with its error beside the results`() async throws {
    let mixed: [Parcel] = [.signed("broken", by: 1), .packed("b"), .packed("c")]
    let signed = Tally()
    let report = try await Parcel.$work.withValue({ step in
      if step == "signed" { signed.add() }
      if step == "signed", signed.count == 1 { throw TestError() }
    }) {
      try await Flow().set(.parcels, to: mixed)
        .forEach(.parcels, into: .receipts, width: 1, tolerating: .failures(1)).run().get()
    }
    #expect(report.itemFailures.count == 1 && report.itemFailures.first?.error is TestError)
    #expect(report[.receipts] == ["b!", "c!"])
  }

  @Test func `a failure that isn't tolerated fails the flow`() async {
    let outcome = await Parcel.$work.withValue({ _ in throw TestError() }) {
      await Flow().set(.parcels, to: parcels).forEach(.parcels, into: .receipts).run()
    }
    #expect(outcome.error is TestError && outcome.report[.receipts] == nil)
  }

  @Test func `a sequence is taken as there is room`() async {
    let outcome = await Flow()
      .forEach(in: (0..<500).lazy.map { UpdatingCount(step: $0, goal: 500) }, into: "counts", width: 4).run()
    #expect(outcome.report["counts" as FlowKey<[Int]>] == Array(repeating: 500, count: 500))
  }

  @Test func `so is an asynchronous sequence`() async {
    let (items, continuation) = AsyncStream.makeStream(of: Parcel.self)
    for name in ["a", "b", "c"] { continuation.yield(.packed(name)) }
    continuation.finish()
    let outcome = await Flow().forEach(in: items, into: .receipts, width: 2).run()
    #expect(outcome.report[.receipts] == ["a!", "b!", "c!"])
    #expect(outcome.report.steps(of: "[forEach #3]") == Parcel.names)
  }

  @Test func `the array is known to be missing before the run, and the output to be there`() {
    #expect(Flow().forEach(.parcels, into: .receipts).faults == ["error missingData at 1. parcels: parcels"])
    let flow = Flow().set(.parcels, to: parcels).forEach(.parcels, into: .receipts)
    #expect(flow.forEach(.receipts) { (_: String, _) in }.faults == [])
    #expect(Flow().set(.parcels, to: parcels).forEach(.parcels, into: .receipts).add(ReadOp("x")).faults.count == 1)
  }

  @Test func `each item goes on from its own stored step`() async throws {
    let store = MemoryProgressionStore()
    let work = Journal<String>()
    let run: @Sendable (Bool) async -> FlowOutcome = { [parcels] fails in
      await Parcel.$work.withValue({ step in
        if fails, step == "signed" { throw TestError() }
        work.append(step)
      }) {
        await Flow().set(.parcels, to: parcels).forEach(
          .parcels, into: .receipts, width: 2, tolerating: .all, store: store,
          as: { if case .packed(let name) = $0 { name } else { "other" } }
        ).run()
      }
    }
    #expect(await run(true).report.itemFailures.count == 4)
    #expect(store.steps.keys.sorted() == ["a", "b", "c", "d"])
    #expect(await run(false).report[.receipts] == ["a!", "b!", "c!", "d!"])
    #expect(store.steps.isEmpty)
    #expect(work.entries.sorted() == Parcel.names.dropLast().flatMap { Array(repeating: $0, count: 4) }.sorted())
  }
}
