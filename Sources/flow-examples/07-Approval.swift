import Foundation
import OperationFlow
import OperationFlowDurable

private struct Approval: Codable, Sendable { var by: String }

extension FlowSignal where Value == Approval {
  fileprivate static var approved: Self { "approved" }
}

/// Waits for an order's approval: one process is killed, another one approves, and a third finishes and cleans up.
func approval() async throws {
  // Set in the processes that this example starts, and nil in the one that you have started.
  let environment = ProcessInfo.processInfo.environment
  let role = environment["FLOW_EXAMPLES_ROLE"]
  let folder =
    environment["FLOW_EXAMPLES_JOURNAL"].map { URL(fileURLWithPath: $0, isDirectory: true) }
    ?? FileManager.default.temporaryDirectory.appending(component: "flow-examples-\(UUID().uuidString)")
  let store = FileFlowStore(folder: folder)

  let order = Flow("Order")
    .add("reserve", .undo { $0.log("released") }, .writesNothing) { $0.log("reserved") }
    .wait(for: .approved, timeout: .seconds(86_400))
    .add("charge", .reads(FlowSignal.approved.key)) { context in
      context.log("approved by \(try context.require(FlowSignal.approved.key).by)")
    }
    .wait(.milliseconds(50), named: "time to change one's mind")
    .add("ship", .writesNothing) { $0.log("shipped") }

  switch role {
  case "orders":
    // The process is killed once its journal contains the signal that the run waits for.
    let run = order.start(id: "order-17", in: store, durability: .everySettlement)
    while run.currentOutcome == nil, await waits(store).isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    kill(getpid(), SIGKILL)
  case "approves":
    // You can do this from a second terminal: it needs only the store.
    try await store.send(.approved, Approval(by: "ann"), to: "order-17")
  default:
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try await end(of: "orders", in: folder)
    for signal in await waits(store) { print("order-17 waits for \(signal), and nobody runs it") }
    _ = try await end(of: "approves", in: folder)
    let outcome = await order.run(id: "order-17", in: store)
    if Options.isVerbose { print(outcome.report.summary, terminator: "") }
    let by = outcome.report[FlowSignal.approved.key]?.by ?? "nobody"
    // Then the identifier is free. A supervisor does the same after a time, with removingEnded: .after(…).
    try await store.remove("order-17")
    let text = "\(outcome.isSuccess ? "shipped" : "failed") in the third process, approved by \(by)"
    print("\(text); \(try await store.runs().count) runs are left")
  }
}

/// The signals that the order waits for, as any process can read them.
private func waits(_ store: FileFlowStore) async -> [String] {
  guard case .waiting(let waits)? = try? await store.storedRun("order-17")?.state else { return [] }
  return waits.compactMap(\.signal)
}

/// Runs this example as a separate process, and returns the exit code, or the signal that ended it.
private func end(of role: String, in folder: URL) async throws -> Int32 {
  let process = Process()
  process.executableURL = Bundle.main.executableURL
  process.arguments = ["approval"]
  process.environment = ProcessInfo.processInfo.environment
    .merging(["FLOW_EXAMPLES_ROLE": role, "FLOW_EXAMPLES_JOURNAL": folder.path]) { $1 }
  return try await withCheckedThrowingContinuation { continuation in
    process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
    do { try process.run() } catch { continuation.resume(throwing: error) }
  }
}
