import Foundation
import OperationFlow
import OperationFlowDurable
import OperationFlowReports

enum Resume {
  static func main() async throws {
    let store = FileFlowStore(folder: FileManager.default.temporaryDirectory.appending(component: "encoding"))
    let unfinished = try await store.unfinished()
    let encode = Flow("Encode")
      .forEach(in: 1...12, width: 1, .named("frames"), .retry(.attempts(3))) { frame, _ in
        try await Task.sleep(for: .milliseconds(20))
        // Ends the first process, as a crash or `kill -9` does.
        if frame == 9, unfinished.isEmpty { kill(getpid(), SIGKILL) }
      }

    for run in unfinished { print("continues: \(run.settledItemCount) of 12 frames are encoded") }
    // By default, what settled in the last 5 ms may run again.
    let run = encode.start(id: "holiday", in: store, durability: .everySettlement)
    await TerminalProgress().follow(run)
    let outcome = await run.outcome
    print(outcome.report.summary(style: .brief), terminator: "")
    // Without this, the next start would return the outcome of this run.
    if outcome.isSuccess { try await store.remove("holiday") }
  }
}
