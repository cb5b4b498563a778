import Foundation
import OperationFlow
import OperationFlowProgressions
import UploadServer
import Uploader

/// A workflow as a value: each case is a step, and contains everything that the step needs.
private enum Delivery: Progression, Codable, Hashable {
  case read(URL, server: URL)
  case check(String, server: URL)
  case send(Data, to: URL)
  case done(String)

  mutating func advance() async throws {
    switch self {
    case .read(let file, let server):
      self = .check(try String(contentsOf: file, encoding: .utf8), server: server)
    case .check(let text, let server):
      guard !text.isEmpty else { throw EmptyText() }
      self = .send(Data(text.utf8), to: server.appending(component: "greeting.txt"))
    case .send(let data, let address):
      let file = FileManager.default.temporaryDirectory.appending(component: "flow-examples-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: file) }
      try data.write(to: file)
      try await FileTransfer.upload(file, to: address)
      self = .done(address.lastPathComponent)
    case .done: break
    }
  }

  var result: String? { if case .done(let name) = self { name } else { nil } }
}

private struct EmptyText: Error {}

extension FlowKey where Value == String {
  fileprivate static var delivered: Self { "delivered" }
}

/// Runs a progression whose step is stored: the server is busy at first, and the second run sends without reading
/// again.
func progression() async throws {
  try await UploadSite.open(fileCount: 0, delaying: "greeting.txt") { site in
    let file = site.folder.appending(component: "greeting.txt")
    try Data("hello world".utf8).write(to: file)
    let store = FileProgressionStore(directory: site.folder.appending(component: "steps"))
    let flow = Flow("Deliver").progress("deliver", into: .delivered, store: store, as: "greeting") { _ in
      Delivery.read(file, server: site.server)
    }

    let refused = await flow.run()
    print("first run: \(steps(of: refused)), then \(refused.error.map { "\($0)" } ?? "nothing")")

    try FileManager.default.removeItem(at: file)
    let outcome = await flow.run()
    print("second run, without the file: \(steps(of: outcome))")
    if Options.isVerbose { print(outcome.report.summary, terminator: "") }
  }
}

/// Returns the steps that a run has reached.
private func steps(of outcome: FlowOutcome) -> String {
  let steps = outcome.report.events.compactMap { event in
    if case .progressed(let step) = event.kind { step } else { nil }
  }
  return steps.joined(separator: ", ")
}
