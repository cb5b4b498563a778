import Foundation
import OperationFlow
import OperationFlowDurable

extension FlowKey where Value == [String] {
  fileprivate static var pages: Self { "pages" }
}
extension FlowKey where Value == Int {
  fileprivate static var weight: Self { "weight" }
}

/// Runs a flow that survives its process: the first process is killed in the middle, and the second one continues the
/// run.
func durable() async throws {
  // Set in the process that is to be killed, and nil in the one that you have started.
  let mark = "FLOW_EXAMPLES_JOURNAL"
  let victimFolder = ProcessInfo.processInfo.environment[mark]
  let folder =
    victimFolder.map { URL(fileURLWithPath: $0, isDirectory: true) }
    ?? FileManager.default.temporaryDirectory.appending(component: "flow-examples-\(UUID().uuidString)")
  let process = victimFolder == nil ? "second process" : "first process"

  let book = Flow("Book")
    .add("write", .writes(.pages)) { $0[.pages] = ["cover", "text", "index"] }
    .add("bind", .reads(.pages), .writes(.weight)) { context in
      print("\(process): binds \(try context.require(.pages).count) pages")
      // Simulates a crash, a power failure, or someone who presses the wrong key.
      if victimFolder != nil { kill(getpid(), SIGKILL) }
      context[.weight] = 250
    }
    .add("deliver", .reads(.weight)) { $0.log("delivered \(try $0.require(.weight)) g") }

  // By default, steps that settled in the last 5 ms may run again. Here each step is on the disk before the next
  // begins.
  let store = FileFlowStore(folder: folder)
  if victimFolder != nil {
    _ = await book.run(id: "book-7", in: store, durability: .everySettlement)
    return
  }
  defer { try? FileManager.default.removeItem(at: folder) }
  let signal = try await endOfThisExample(in: ["FLOW_EXAMPLES_JOURNAL": folder.path])
  for run in try await store.unfinished() { print("killed by signal \(signal), which leaves \(run.id) unfinished") }

  let outcome = await book.run(id: "book-7", in: store, durability: .everySettlement)
  if Options.isVerbose { print(outcome.report.summary, terminator: "") }
  // From now on, the call returns the outcome and runs nothing.
  let again = await book.run(id: "book-7", in: store)
  print("once more: \(again.isSuccess ? "succeeded" : "failed"), with \(again.report.events.count) events")
}

/// Runs this example as a separate process, and returns the signal that ended it.
private func endOfThisExample(in environment: [String: String]) async throws -> Int32 {
  let process = Process()
  process.executableURL = Bundle.main.executableURL
  process.arguments = ["durable"]
  process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
  return try await withCheckedThrowingContinuation { continuation in
    process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
    do { try process.run() } catch { continuation.resume(throwing: error) }
  }
}
