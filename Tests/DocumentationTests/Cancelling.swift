import Dispatch
import Foundation
import OperationFlow
import TestSupport
import Testing

extension FlowKey where Value == [String] {
  static var pages: Self { "pages" }
}

/// Stands for a download that calls back, and can be stopped.
protocol Transfer: AnyObject, Sendable {
  func begin(_ body: @escaping @Sendable (Data) -> Void)
  func stop()
}

/// Stands for work that stops when its task is cancelled.
func convert(_ page: String) async throws {
  if page == "endless" { try await Task.sleep(for: .seconds(3600)) }
}

enum Cancelling {
  static func cancel(_ flow: Flow) async -> FlowOutcome {
    let run = flow.start()
    run.cancel()
    let outcome = await run.outcome
    return outcome
  }

  static func cancelTask(_ flow: Flow) async -> FlowOutcome {
    let task = Task { await flow.run() }
    task.cancel()
    let outcome = await task.value
    return outcome
  }

  final class DownloadOp: FlowOperation, @unchecked Sendable {
    private let transfer: any Transfer

    init(_ transfer: any Transfer) { self.transfer = transfer }

    override func mainLogic() {
      startWithAsynchronous()
      transfer.begin { data in
        self.setData(name: "data", value: data)
        self.finishSuccessfully()
      }
    }

    override func cancel() {
      super.cancel()
      transfer.stop()
    }
  }

  final class ConvertOp: FlowOperation, @unchecked Sendable {
    @FlowInput var pages: [String]

    override func run() async throws {
      for page in pages {
        try Task.checkCancellation()
        try await convert(page)
      }
    }
  }

  static func convertAll(in flow: Flow) {
    flow.forEach(.pages) { page, context in
      try context.checkCancellation()
      try await convert(page)
    }
  }

  static func pause(_ flow: Flow) -> FlowRun {
    let run = flow.start()
    run.pause()
    run.resume()
    return run
  }
}

/// Calls back when it is stopped.
private final class StoppedTransfer: Transfer {
  let hasBegun = Signal()
  let wasStopped = Signal()

  func begin(_ body: @escaping @Sendable (Data) -> Void) {
    hasBegun.fire()
    Task {
      await wasStopped.wait()
      body(Data())
    }
  }

  func stop() { wasStopped.fire() }
}

@Suite(.watched) struct CancellingTests {
  private typealias Article = Cancelling

  private func waitForStart(of source: String, in run: FlowRun) async {
    for await event in run.events where event.kind == .started && event.source.description == source { return }
  }

  @Test func `a run that waits ends as cancelled`() async {
    for cancel in [Article.cancel, Article.cancelTask] {
      let outcome = await cancel(Flow().add(operation: Article.DownloadOp(StoppedTransfer())).add("next") { _ in })
      #expect((outcome.error as? FlowError)?.code == .cancelled)
      #expect(throws: CancellationError.self) { try outcome.get() }
      #expect(!outcome.report.events.contains { $0.source.name == "next" })
    }
  }

  @Test func `cancelling ends an operation at once, stops its work, and what comes later changes nothing`() async {
    let transfer = StoppedTransfer()
    let operation = Article.DownloadOp(transfer)
    let run = Flow().add(operation: operation).start()
    await transfer.hasBegun.wait()
    run.cancel()
    run.cancel()
    let outcome = await run.outcome
    await transfer.wasStopped.wait()
    #expect(outcome.report.events.contains { $0.kind == .finished(.cancelled) })
    #expect(outcome.report.data.isEmpty)
    guard case .finished(.withError(let error as FlowError)) = operation.state else {
      Issue.record("It ended otherwise: \(operation.state)")
      return
    }
    #expect(error.code == .cancelled)
  }

  @Test func `a task winds down, in an operation and in a closure`() async {
    let closures = Flow().set(.pages, to: ["endless", "b"])
    Article.convertAll(in: closures)
    for (flow, source) in [
      (Flow().set(.pages, to: ["endless", "b"]).add(Article.ConvertOp()), "[ConvertOp]"), (closures, "[pages #0]"),
    ] {
      let run = flow.start()
      await waitForStart(of: source, in: run)
      run.progress.cancel()
      guard case .cancelled = await run.outcome else {
        Issue.record("\(source) ended otherwise.")
        continue
      }
    }
  }

  @Test func `a cancellation error counts as cancelled, and any error after cancelling`() async {
    guard case .cancelled = await Flow().add("stop", { _ in throw CancellationError() }).run() else {
      Issue.record("It ended otherwise.")
      return
    }
    let run = Flow()
      .add("other") { _ in
        await Signal().wait()
        throw NoUser()
      }
      .start()
    await waitForStart(of: "[other]", in: run)
    run.cancel()
    let events = await run.outcome.report.events
    #expect(events.contains { $0.kind == .finished(.cancelled) })
  }

  @Test func `a step that succeeds though it was cancelled writes its outputs`() async {
    let hasBegun = Signal()
    let run = Flow().add(StubbornOp(hasBegun)).start()
    await hasBegun.wait()
    run.cancel()
    let outcome = await run.outcome
    #expect(outcome.report.data["result"] as? Int == 1)
    #expect(outcome.report.events.contains { $0.kind == .finished(.successfully) })
    guard case .cancelled = outcome else {
      Issue.record("It ended otherwise.")
      return
    }
  }

  @Test func `an operation that is cancelled before it starts never does its work`() async {
    let operation = StubbornOp(Signal())
    operation.cancel()
    await withCheckedContinuation { continuation in
      operation.completionBlock = { continuation.resume() }
      operation.start()
    }
    #expect(operation.isFinished && operation.getData(name: "result", isOptional: true) == Int?.none)
  }

  @Test func `an end that is decided stays`() async {
    let flow = Flow().add("end") { _ in }
    let run = flow.start()
    let outcome = await run.outcome
    run.cancel()
    flow.cancel()
    #expect(outcome.isSuccess && run.currentOutcome?.isSuccess == true && flow.isSuccess)
    #expect(!run.outcomeHasCancelRequest)
    Flow().cancel()
  }

  @Test func `a paused run starts nothing, and goes on or is cancelled`() async {
    #expect(await Article.pause(Flow().add("a") { _ in }).outcome.isSuccess)
    for isResumed in [true, false] {
      let mayGoOn = Signal()
      let run = Flow().add("first") { _ in await mayGoOn.wait() }.add("second") { _ in }.start()
      await waitForStart(of: "[first]", in: run)
      run.pause()
      run.pause()
      #expect(run.isPaused)
      mayGoOn.fire()
      for await event in run.events where event.kind == .finished(.successfully) { break }
      #expect(run.currentOutcome == nil)
      if isResumed { run.resume() } else { run.cancel() }
      #expect(await run.outcome.isSuccess == isResumed)
      #expect(await run.outcome.report.events.count { $0.kind == .paused } == 1)
    }
  }

  @Test func `a run whose last step was running when it was paused ends with it`() async {
    let mayGoOn = Signal()
    let run = Flow().add("last") { _ in await mayGoOn.wait() }.start()
    await waitForStart(of: "[last]", in: run)
    run.pause()
    mayGoOn.fire()
    #expect(await run.outcome.isSuccess)
  }
}

extension FlowRun {
  fileprivate var outcomeHasCancelRequest: Bool {
    currentOutcome?.report.events.contains { $0.kind == .cancelRequested } ?? false
  }
}

private final class StubbornOp: FlowOperation, @unchecked Sendable {
  @FlowOutput var result: Int?
  // Invariant: constant.
  private let hasBegun: Signal

  init(_ hasBegun: Signal) { self.hasBegun = hasBegun }

  override func run() async throws {
    hasBegun.fire()
    await Signal().wait()
    result = 1
  }
}
