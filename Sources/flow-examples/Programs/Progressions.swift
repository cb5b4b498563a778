import Foundation
import OperationFlow
import OperationFlowProgressions

extension FlowKey where Value == String {
  fileprivate static var delivered: Self { "delivered" }
}

private struct Busy: Error {}

/// Stands for a server that is busy once.
private actor Mailbox {
  static let shared = Mailbox()
  private var isBusy = true

  func deliver(_ text: String) throws {
    defer { isBusy = false }
    if isBusy { throw Busy() }
  }
}

/// A workflow as a value: each case is a step, and contains everything that the step needs.
private enum Delivery: Progression, Codable, Hashable {
  case read(URL)
  case send(String)
  case done(String)

  mutating func advance() async throws {
    switch self {
    case .read(let file): self = .send(try String(contentsOf: file, encoding: .utf8))
    case .send(let text):
      try await Mailbox.shared.deliver(text)
      self = .done(text)
    case .done: break
    }
  }

  var result: String? { if case .done(let text) = self { text } else { nil } }
}

enum Progressions {
  /// Runs a progression whose step is stored, so that the second run sends without reading again.
  static func main() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(component: "steps-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(component: "greeting.txt")
    try Data("hello world".utf8).write(to: file)
    let flow = Flow("Deliver").progress(
      "deliver", into: .delivered, store: FileProgressionStore(directory: folder), as: "greeting"
    ) { _ in Delivery.read(file) }

    if let error = await flow.run().error { print("first run: \(error)") }
    try FileManager.default.removeItem(at: file)
    print(await flow.run().report.summary, terminator: "")
  }
}
