import Testing

@testable import OperationFlow

/// A run without steps needs no thread of its own.
@Suite(.watched) struct EmptyRunTests {
  @Test func `it ends where it is started, and its observers learn of both`() {
    let names = Locked<[String]>([])
    let run = Flow("empty").set("key", to: 1).observe { event in
      switch event.kind {
      case .flowStarted: names.withLock { $0.append("started") }
      case .flowFinished: names.withLock { $0.append("finished") }
      default: names.withLock { $0.append("\(event)") }
      }
    }.start()
    #expect(run.currentOutcome?.isSuccess == true)
    #expect(names.withLock { $0 } == ["started", "finished"])
  }
}
