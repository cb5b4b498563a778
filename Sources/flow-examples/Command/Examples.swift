import Foundation
import Uploader

/// An example: the name by which it runs, its description, and the function in its file.
struct Example: Sendable {
  let name: String
  let shows: String
  let run: @Sendable () async throws -> Void

  init(_ name: String, _ shows: String, _ run: @escaping @Sendable () async throws -> Void) {
    (self.name, self.shows, self.run) = (name, shows, run)
  }

  /// The examples, the main one first.
  static let all = [
    Example("upload", "24 files go over HTTP to a server that is busy once, and refuses one of them", upload),
    Example("hello", "two steps, one key, and a summary", hello),
    Example("validation", "what can't work is an error before anything runs", validation),
    Example("cases", "the way depends on values", cases),
    Example("groups", "1,200 items, 16 at once, beside another branch; one is retried, and one fails", groups),
    Example("undo", "a payment fails, and what was booked is given back, the last first", undo),
    Example("durable", "a process is killed in the middle, and another one goes on", durable),
    Example("approval", "an order waits for someone outside, across the end of its process", approval),
    Example("watching", "events, progress, and reports as files", watching),
    Example("progression", "a workflow as a value, which goes on from the step that failed", progression),
    Example("flow-ios-style", "Flow-iOS's style, in the same library", flowiOSStyle),
  ]

  /// Runs examples one after the other.
  ///
  /// - Returns: The number of examples that have failed.
  static func run(_ examples: [Example]) async -> Int {
    var failedNames: [String] = []
    if examples.count > 1 {
      print("Examples of OperationFlow, each a file of Sources/flow-examples; --verbose shows events, --help the rest.")
    }
    for example in examples {
      if examples.count > 1 { print("# \(example.name): \(example.shows)") }
      // Shows that the example is still running, for slow machines.
      let note = Task {
        try await Task.sleep(for: .seconds(2))
        Console.report("flow-examples: \(example.name) is still at work")
      }
      do {
        try await example.run()
      } catch {
        failedNames.append(example.name)
        Console.report("flow-examples: \(example.name): \(error)")
      }
      note.cancel()
    }
    guard examples.count > 1 else { return failedNames.count }
    let succeeded = "\(examples.count - failedNames.count) of \(examples.count) examples did what they show"
    print("flow-examples: \(([succeeded] + failedNames.map { "\($0) failed" }).joined(separator: ", "))")
    return failedNames.count
  }
}
