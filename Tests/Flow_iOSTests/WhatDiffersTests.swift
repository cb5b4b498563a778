import Flow_iOS
import TestSupport
import Testing

/// What differs from Flow-iOS on purpose: each row of `Docs/ComingFromFlow-iOS.md`.
@Suite(.watched) struct WhatDiffersTests {
  @Suite struct Cases {
    @Test func `a lone case that does not fit is skipped`() async {
      let flow = await finished(
        Flow()
          .setDataBucket(dataBucket: ["target": "B"])
          .add(operation: PrintOp(message: "Step1"), flowCase: FlowCase(key: "target", value: "A")))
      #expect(flow.isSuccess)
      #expect(!flow.lines.contains("[PrintOp] WillStart"))
    }

    @Test func `the line for no match says what the keys held`() async {
      let flow = await finished(
        Flow()
          .setDataBucket(dataBucket: ["count": 3])
          .add(operation: PrintOp(message: "1"), flowCase: FlowCase(key: "target", value: "A"))
          .add(operation: PrintOp(message: "2"), flowCase: FlowCase(key: "count", value: "3")))
      let held = "<target> is missing. <count> is <3> with type <Int>, but NOT type <String>."
      #expect(flow.lines.contains("[Cases] no case is matched. finished in early. " + held))
    }

    @Test func `the summary says which case was chosen`() async {
      let flow = await finished { cases(target: "A", didFinish: $0) }
      #expect(flow.lines.contains("[Cases] chosen: target=A"))
    }
  }

  @Suite struct Groups {
    @Test func `a group without items succeeds with an empty array`() async {
      let flow = await finished { grouped([], didFinish: $0) }
      #expect(flow.isSuccess)
      #expect((flow.dataBucket["urls"] as? [Any])?.isEmpty == true)
      #expect(flow.lines.contains("[Group] no operation to run for group: <images> is empty"))
    }

    @Test func `a group whose input is missing fails and says so`() async {
      let flow = await finished { grouped(["a"], didFinish: $0).setDataBucket(dataBucket: [:]) }
      #expect((flow.error as? FlowError)?.code == .missingData)
      #expect("\(flow.error!)".contains("can't find <images> in data bucket"))
    }

    @Test(arguments: ["text", Set(["a"])] as [any Sendable])
    func `a group whose input is no array fails and says so`(input: any Sendable) async {
      let flow = await finished { grouped(["a"], didFinish: $0).setDataBucket(dataBucket: ["images": input]) }
      #expect((flow.error as? FlowError)?.code == .mismatchedData)
    }

    @Test func `a failure that is allowed is kept beside the outputs and is no error of the flow`() async {
      let flow = await finished {
        grouped(["a"], allowFailure: true, didFinish: $0).setDataBucket(dataBucket: ["images": [1, 2]])
      }
      #expect(flow.isSuccess)
      #expect(flow.error == nil)
      let outcome = await grouped(["a"], allowFailure: true) { _ in }
        .setDataBucket(dataBucket: ["images": ["a", 2] as [any Sendable]]).run()
      #expect(outcome.report.itemFailures.map(\.index) == [1])
    }

    @Test func `an item reads the flow's bucket through its own`() async {
      let notes = Notes()
      let flow = await finished(
        Flow()
          .setDataBucket(dataBucket: ["images": ["a"], "token": "t-1"])
          .addGrouped(
            operationCreator: ReadThroughOp.self,
            dispatcher: FlowArrayGroupDispatcher(inputKey: "images", outputKey: "urls")
          )
          .add(
            operation: CustomOp { op in
              let urls: [String]? = op.getData(name: "urls")
              notes.add(urls?.first ?? "none")
              op.finishSuccessfully()
            }))
      #expect(flow.isSuccess)
      #expect(notes.all == ["a with t-1"])
    }

    @Test func `a width below 1 is an error`() async {
      let flow = await finished { grouped(["a"], maxConcurrentOperationCount: 0, didFinish: $0) }
      #expect((flow.error as? FlowError)?.code == .invalidWidth)
    }

    @Test func `one dispatcher serves several groups`() async {
      let dispatcher = FlowArrayGroupDispatcher(inputKey: "images", outputKey: "urls")
      for images in [["a", "b"], ["c"]] {
        let flow = await finished(
          Flow()
            .setDataBucket(dataBucket: ["images": images])
            .addGrouped(operationCreator: UploadOp.self, dispatcher: dispatcher)
            .addGrouped(operationCreator: UploadOp.self, dispatcher: dispatcher))
        #expect(flow.dataBucket["urls"] as? [String] == images.map { "url_of_" + $0 })
      }
    }

    @Test func `no item starts after one has failed, if that is not allowed`() async {
      let flow = await finished {
        grouped(["a"], maxConcurrentOperationCount: 1, didFinish: $0)
          .setDataBucket(dataBucket: ["images": [1, 2, 3]])
      }
      #expect(flow.lines.filter { $0.hasSuffix("WillStart") } == ["[UploadOp #0] WillStart"])
    }

    @Test func `an item is named by its number`() async {
      let flow = await finished { grouped(["a", "b"], maxConcurrentOperationCount: 1, didFinish: $0) }
      #expect(flow.lines.contains("[UploadOp #1] uploaded b"))
    }
  }

  @Suite struct Operations {
    @Test func `an operation that returns and lets go of everything fails`() async {
      let flow = await finished(Flow().add(operation: CustomOp { _ in }))
      #expect((flow.error as? FlowError)?.code == .neverFinished)
    }

    @Test func `an operation without work fails`() async {
      let flow = await finished(Flow().add(operation: ReportingOp()))
      #expect((flow.error as? FlowError)?.code == .notImplemented)
    }

    @Test func `the first finish counts, and the second is in the summary`() async {
      let op = CustomOp { op in
        op.finishSuccessfully()
        op.finishWithError(error: NSError(domain: "late", code: 1, userInfo: nil))
      }
      let flow = await finished(Flow().add(operation: op))
      #expect(flow.isSuccess)
      #expect(describe(op.state) == "finished successfully")
      #expect(flow.lines.contains { $0.hasPrefix("[CustomOp] warning: finished again: ignored") })
    }

    @Test func `finishing before saying that it is asynchronous keeps the end`() async {
      let flow = await finished(
        Flow().add(
          operation: CustomOp { op in
            op.finishWithError(error: NSError(domain: "at once", code: 1, userInfo: nil))
            op.startWithAsynchronous()
          }))
      #expect((flow.error as NSError?)?.domain == "at once")
    }

    @Test func `data that is missing is the flow's error as well`() async {
      let flow = await finished(Flow().add(operation: LoginOp()))
      let error = flow.error as? FlowError
      #expect(error?.code == .missingData)
      #expect(error?.key == "email")
      #expect(error?.step == "[LoginOp]")
    }

    @Test func `a write after the finish is ignored and the summary says so`() async {
      let (hasEnded, isWritten) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let flow = await finished(
        Flow()
          .add(
            operation: CustomOp { op in
              op.startWithAsynchronous()
              // A plain thread: the next step blocks its own, and the pools may have no other.
              Thread.detachNewThread {
                op.finishSuccessfully()
                hasEnded.wait()
                op.setData(name: "k", value: 1)
                isWritten.signal()
              }
            }
          )
          .add(
            operation: CustomOp { op in
              // The operation before has ended: its main logic has returned as well.
              hasEnded.signal()
              isWritten.wait()
              op.finishSuccessfully()
            }))
      #expect(flow.dataBucket["k"] == nil)
      #expect(flow.lines.contains("[CustomOp] warning: <k> was written after the finish: ignored"))
    }

    @Test func `an operation that was cancelled beforehand cancels the flow`() async {
      let op = PrintOp(message: "x")
      op.cancel()
      let flow = await finished(Flow().add(operation: op))
      #expect(!flow.isSuccess)
      #expect((flow.error as? FlowError)?.code == .cancelled)
      #expect(!flow.lines.contains("[PrintOp] x"))
    }

    @Test func `a step starts after the main logic before it has returned`() async {
      let notes = Notes()
      _ = await finished(
        Flow()
          .add(
            operation: CustomOp { op in
              op.finishSuccessfully()
              notes.add("first returns")
            }
          )
          .add(
            operation: CustomOp { op in
              notes.add("second")
              op.finishSuccessfully()
            }))
      #expect(notes.all == ["first returns", "second"])
    }

    @Test func `an operation alone keeps its own values`() {
      let op = CustomOp { op in
        op.setData(name: "k", value: 1)
        guard let number: Int = op.getData(name: "k") else { return }
        op.finishWithError(error: NSError(domain: "read \(number)", code: 1, userInfo: nil))
      }
      op.start()
      #expect(describe(op.state) == "finished withError read 1")
    }
  }

  @Suite struct Flows {
    @Test func `nothing runs before the will-start block has returned`() async {
      let notes = Notes()
      _ = await finished(
        Flow()
          .setWillStartBlock { _ in notes.add("will start") }
          .add(
            operation: CustomOp { op in
              notes.add("first")
              op.finishSuccessfully()
            }))
      #expect(notes.all == ["will start", "first"])
    }

    @Test func `the did-finish block comes after the main logic of every item has returned`() async {
      let flow = await finished(
        Flow()
          .setDataBucket(dataBucket: ["images": ["fails", "stays"]])
          .addGrouped(
            operationCreator: StayingOp.self,
            dispatcher: FlowArrayGroupDispatcher(
              inputKey: "images", outputKey: "urls", maxConcurrentOperationCount: 2)))
      #expect(!flow.isSuccess)
      #expect(StayingOp.notes.all == ["main logic returns"])
    }

    @Test func `a second start is refused and leaves the first run as it was`() async {
      let flow = await finished(Flow().add(operation: PrintOp(message: "x")))
      let second = await flow.start().outcome
      #expect((second.error as? FlowError)?.code == .operationUsedTwice)
      #expect(flow.isSuccess)
    }

    @Test func `one operation in two flows is refused the second`() async {
      let op = PrintOp(message: "x")
      _ = await finished(Flow().add(operation: op))
      let second = await finished(Flow().add(operation: op))
      #expect((second.error as? FlowError)?.code == .operationUsedTwice)
    }

    @Test func `many flows run at once`() async {
      let count = await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<200 {
          group.addTask {
            let flow = await finished { grouped(["a", "b"], didFinish: $0) }
            return flow.isSuccess && flow.dataBucket["urls"] as? [String] == ["url_of_a", "url_of_b"]
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(count == 200)
    }

    @Test func `a flow that is never started is freed`() {
      var flow: Flow? = Flow().add(operation: PrintOp(message: "x"))
      weak let remembered = flow
      #expect(remembered != nil)
      flow = nil
      #expect(remembered == nil)
    }

    @Test func `a step that is added after the start is not run`() async {
      let flow = await finished(
        Flow()
          .add(operation: PrintOp(message: "x"))
          .setWillStartBlock { flow in flow.add(operation: LoginOp()) })
      #expect(flow.isSuccess)
      #expect(!flow.lines.contains("[LoginOp] WillStart"))
    }

    @Test func `writing an optional that holds nothing removes the name`() {
      let nickname: String? = nil
      let flow = Flow().setDataBucket(dataBucket: ["nickname": "Al"])
      flow.setData(name: "nickname", value: nickname as Any)
      #expect(flow.dataBucket["nickname"] == nil)
    }

    @Test func `a line of the flow itself carries the flow's name`() async {
      let flow = Flow("Login").add(operation: PrintOp(message: "x"))
      flow.log(message: "ready")
      #expect(await finished(flow).lines.contains("[Login] ready"))
    }

    @Test func `bucket listings are sorted by name`() async {
      let flow = await finished(
        Flow().setDataBucket(dataBucket: ["c": 1, "a": 2, "b": 3]).add(operation: PrintOp(message: "x")))
      #expect(Array(flow.lines[1...4]) == ["[DataBucket] start with:", "a: 2", "b: 3", "c: 1"])
    }

    @Test func `a long value is cut in the summary`() async {
      let flow = await finished(
        Flow()
          .setDataBucket(dataBucket: ["text": String(repeating: "x", count: 5_000), "data": Data(count: 5_000)])
          .add(operation: PrintOp(message: "x")))
      #expect(flow.lines.contains("text: " + String(repeating: "x", count: 1_000) + "…"))
      #expect(flow.lines.contains("data: <5000 bytes>"))
    }

    @Test func `times have a plain space and can be shown otherwise`() async throws {
      let flow = await finished(Flow().add(operation: PrintOp(message: "x")))
      let line = try #require(flow.generateSummary().split(separator: "\n").dropFirst().first)
      #expect(line.contains(/^\d{1,2}:\d\d:\d\d [AP]M \[DataBucket\] start with:/))
      let style = FlowSummaryStyle(timeStyle: .milliseconds)
      let other = try #require(flow.generateSummary(style: style).split(separator: "\n").dropFirst().first)
      #expect(other.contains(/^\d\d:\d\d:\d\d\.\d{3} \[DataBucket\] start with:/))
    }
  }
}

/// Of two items one fails while the main logic of the other runs, and that one stays until then.
class StayingOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static let notes = Notes()
  private static let isThere = DispatchSemaphore(value: 0)
  private static let hasFailed = DispatchSemaphore(value: 0)

  static func create() -> FlowOperation { return StayingOp() }

  override var primaryInputParamKey: String { return "image" }

  override func mainLogic() {
    guard let image: String = getData(name: "image") else { return }
    if image == "fails" {
      Thread.detachNewThread {
        Self.isThere.wait()
        self.finishWithError(error: NSError(domain: "fails", code: 1, userInfo: nil))
        Self.hasFailed.signal()
      }
      startWithAsynchronous()
    } else {
      Self.isThere.signal()
      Self.hasFailed.wait()
      Self.notes.add("main logic returns")
      finishSuccessfully()
    }
  }
}
