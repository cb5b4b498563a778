import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Items of asynchronous sequences, some of which were pulled while others ran.
@Suite(.watched) struct PulledItemTests {
  private let store = MemoryFlowStore()
  private let killed = Locked<[String: [Data]]>([:])
  private let began = (0..<4).map { _ in Signal() }
  private let mayEnd = (0..<4).map { _ in Signal() }
  private let hasEnded = Signal()
  private let cleaned = Tally()

  /// A flow whose third item fails, and whose last item runs until it is cancelled.
  ///
  /// The sequence doesn't end.
  private var flow: Flow {
    Flow("Pulls")
      .observe { [hasEnded] event in
        if event.source.item == 0, case .finished = event.kind { hasEnded.fire() }
      }
      .forEach(
        in: AsyncStream<Int> { numbers in for number in 0..<4 { numbers.yield(number) } }, into: FlowKey<[Int]>("out"),
        width: 3,
        .undo { [store, killed] _ in
          killed.withLock { if $0.isEmpty { $0 = store.journals } }
        }
      ) { [began, mayEnd] number, _ async throws in
        began[number].fire()
        if number == 3 { try await Task.sleep(for: .seconds(3_600)) }
        await mayEnd[number].wait()
        if number == 2 { throw TestError(name: "bad") }
        return number
      }
      .always { [cleaned] in $0.add("clean") { _ in cleaned.add() } }
  }

  @Test func `a run that was killed while it undid them goes on with that, and with what always runs`() async {
    let run = Task { [flow, store] in await flow.run(id: "a", in: store) }
    for number in 0..<3 { await began[number].wait() }
    // The last item is pulled before the first one ends, so another pull is in progress when the third fails.
    mayEnd[1].fire()
    await began[3].wait()
    mayEnd[0].fire()
    await hasEnded.wait()
    mayEnd[2].fire()
    let outcome = await run.value
    #expect(outcome.error as? TestError == TestError(name: "bad") && outcome.report.undos.count == 2)
    #expect(cleaned.count == 1)
    let again = await flow.run(id: "a", in: MemoryFlowStore(killed.withLock { $0 }))
    #expect("\(again.error as Any)".contains("TestError(bad)"), "\(again)")
    #expect(again.report.undos.count == 2 && cleaned.count == 2)
  }
}
