import Flow_iOS
import TestSupport
import Testing

/// Uses the predecessor's signatures as its users may.
///
/// This file is compiled in both language modes.
@MainActor
@Suite(.watched) struct PredecessorsTypesTests {
  private func ended(_ flow: Flow, by start: (Flow) -> Void = { $0.start() }) async -> Flow {
    await withCheckedContinuation { continuation in
      flow.setDidFinishBlock { flow in continuation.resume(returning: flow) }
      start(flow)
    }
  }

  @Test func `a mixed array in a literal is grouped, and what doesn't fit fails its item`() async {
    let flow = await ended(scaled(allowFailure: true))
    #expect(flow.isSuccess)
    #expect(flow.dataBucket["scaledImages"] as? [String] == ["scaled_a", "scaled_b", "scaled_c"])
    #expect((flow.dataBucket["images"] as? [Any])?.count == 4)
    let refused = await ended(scaled(allowFailure: false))
    #expect(!refused.isSuccess)
    let text = refused.generateSummary()
    #expect(text.contains("<target> in data bucket is <1> with type <Int>, but NOT type <String>."), "\(text)")
  }

  @Test func `values of any type come out of the bucket as they went in`() async {
    let flow = await ended(taken(from: ["given": Snapshot(title: "given"), "count": 1]))
    let bucket = flow.dataBucket
    #expect(flow.isSuccess, "\(flow.generateSummary())")
    #expect((bucket["given"] as? Snapshot)?.title == "given")
    #expect((bucket["later"] as? Snapshot)?.title == "later")
    #expect((bucket["snapshot"] as? Snapshot)?.title == "cover!")
    #expect(bucket["copy"] as? Snapshot === bucket["snapshot"] as? Snapshot)
    #expect((bucket["mixed"] as? [Any])?.last as? Date == Date(timeIntervalSince1970: 0))
    #expect((bucket["literal"] as? [Any])?.first as? String == "a")
    #expect(bucket["question"] as? String == "back!?")
    #expect(bucket["something"] as? String == "there")
    #expect(bucket["gone"] == nil)
  }

  @Test func `the bucket is a dictionary of Any`() {
    let bucket = changedByHand().dataBucket
    #expect(bucket.keys.sorted() == ["copied", "date", "merged", "number", "other", "snapshot"])
    #expect(bucket["number"] as? Int == 6)
    #expect((bucket["snapshot"] as? Snapshot)?.title == "s")
    #expect((bucket["other"] as? Snapshot)?.title == "o")
    #expect((bucket["copied"] as? [Any])?.count == 2)
    #expect(bucket["merged"] as? Bool == true)
  }

  @Test func `functions can be handed around, with the predecessor's parameters`() async {
    let flow = handedAround()
    stored(flow)
    noted(flow)
    let same = await ended(flow)
    #expect(same === flow && flow.isSuccess)
    #expect(flow.dataBucket["out"] as? [String] == ["scaled_a"])
    #expect(["first", "stored", "written"].allSatisfy { flow.dataBucket[$0] as? Int == 1 })
    let text = summary(of: flow)
    for line in [
      "[Flow] noted", "[Flow] as a type", "[Flow] in a loop", "[Flow] returned", "[HandOutOp] by a value",
      "[HandOutOp] by forEach",
    ] {
      #expect(text.contains(line), "\(text)")
    }
  }

  @Test func `a flow is started in each way that starting can be handed around`() async {
    for way in [start, started, startNow, startLater] {
      let flow = await ended(Flow().add(operation: HandOutOp()), by: way)
      #expect(flow.dataBucket["written"] as? Int == 1)
    }
  }

  @Test func `a block may be a method, or a function that is kept in a variable`() async {
    let caller = Caller()
    let flow = Flow().add(operation: HandOutOp())
    let ended = await withCheckedContinuation { continuation in
      caller.callback = { flow in continuation.resume(returning: flow) }
      caller.run(flow)
    }
    #expect(ended === flow)
    #expect(caller.ended == [true])
  }

  @Test func `a flow and an operation are what a user's own protocols ask for`() async throws {
    var storing: any Storing = Flow().add(operation: HandOutOp())
    storing.setData(name: "a", value: ["x", 1])
    storing.dataBucket["b"] = Snapshot(title: "b")
    let startable = storing as? any Startable
    let noting = storing as? any Noting
    noting?.log(message: "as a protocol")
    let flow = try #require(storing as? Flow)
    _ = await ended(flow) { _ in startable?.start() }
    #expect((flow.dataBucket["b"] as? Snapshot)?.title == "b")
    #expect((flow as any Summarizing).generateSummary().contains("[Flow] as a protocol"))
  }

  @Test func `what is newer than the predecessor is there beside it`() async {
    let flow = Flow().add(operation: HandOutOp(), .named("named"))
    flow.log(message: "a warning", level: .warning)
    let run = flow.start(with: ["more": 1])
    #expect(await run.outcome.isSuccess)
    #expect(flow.dataBucket["more"] as? Int == 1)
    #expect(flow.generateSummary(style: FlowSummaryStyle(timeStyle: .milliseconds)).contains("[named] WillStart"))
    #expect(await Flow().start { $0["x" as FlowKey<Int>] = 1 }.outcome.report.data["x"] as? Int == 1)
  }
}
