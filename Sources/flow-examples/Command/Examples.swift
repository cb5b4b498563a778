import Foundation
import Uploader

/// A program in the folder `Programs`: the name by which it runs, its description, and its `main()`.
struct Example: Sendable {
  let name: String
  let shows: String
  /// The exit code of the program if it has done what it shows.
  let exitCode: Int32
  let main: @Sendable () async throws -> Void

  init(_ name: String, _ shows: String, exitCode: Int32 = 0, _ main: @escaping @Sendable () async throws -> Void) {
    (self.name, self.shows, self.exitCode, self.main) = (name, shows, exitCode, main)
  }

  /// The examples, the main one first.
  static let all = [
    Example("upload", "24 files are sent over HTTP to a server that is busy once, and refuses one", UploadExample.main),
    Example("hello", "two steps, one key, and a summary with each event", Hello.main),
    Example("download", "a login, a list, and three downloads at once", Download.main),
    Example("pages", "an API with pages is busy once, and the next attempt continues there", Pages.main),
    Example("validation", "what can't work is an error before anything runs", Validation.main),
    Example("cases", "the way depends on values", Cases.main),
    Example("groups", "1,200 items, 16 at once, beside another branch; one is retried, and one fails", Groups.main),
    Example("undo", "a payment fails, and what was booked is cancelled, the last first", Undo.main),
    Example("approval", "an expense waits for an approval, with reminders", Approval.main),
    Example("nightly-job", "a backup of three tables fails at one, and sends an alert", exitCode: 1, NightlyJob.main),
    Example("stop", "Ctrl-C cancels a run, which then cleans up; here nobody presses it", Stop.main),
    Example("child-processes", "a command takes too long, and ends with its children", ChildProcesses.main),
    Example("server", "one flow answers four requests, each with a deadline", Server.main),
    Example("resume", "a process is killed in the middle, and another one continues", Resume.main),
    Example("with-a-task-group", "five uploads with retries and timeouts, without this library", WithATaskGroup.main),
    Example("with-a-flow", "the same uploads, with it", WithAFlow.main),
    Example("loop", "a step repeats a flow until the result is good enough", Loop.main),
    Example("graph", "operations that depend on each other", Graph.main),
    Example("watching", "events, progress, and reports as files") {
      try await Watching.watch(writingTo: Options.reports.appending(component: "watching"))
    },
    Example("progressions", "a workflow as a value, which continues from the step that failed", Progressions.main),
    Example("flow-ios-style", "Flow-iOS's style, in the same library", FlowiOSStyle.main),
  ]

  /// Runs the example in this process.
  ///
  /// - Returns: The exit code, if the program doesn't end the process itself.
  func run() async -> Int32 {
    do {
      try await main()
      return 0
    } catch {
      Console.report("flow-examples: \(name): \(error)")
      return 1
    }
  }

  /// Runs examples one after the other, each in a process of its own.
  ///
  /// - Returns: The exit code: 0 if all have done what they show.
  static func run(_ examples: [Example]) async -> Int32 {
    print("Examples of OperationFlow, each a file of Sources/flow-examples/Programs; --help shows their names.")
    var failedNames: [String] = []
    for example in examples {
      print("# \(example.name): \(example.shows)")
      // Shows that the example is still running, for slow machines.
      let note = Task {
        try await Task.sleep(for: .seconds(3))
        Console.report("flow-examples: \(example.name) is still at work")
      }
      do {
        let exitCode = try await ExampleProcess.exitCode(of: example.name)
        if exitCode != example.exitCode { failedNames.append(example.name) }
      } catch {
        failedNames.append(example.name)
        Console.report("flow-examples: \(example.name): \(error)")
      }
      note.cancel()
    }
    let succeeded = "\(examples.count - failedNames.count) of \(examples.count) examples did what they show"
    print("flow-examples: \(([succeeded] + failedNames.map { "\($0) failed" }).joined(separator: ", "))")
    return failedNames.isEmpty ? 0 : 1
  }
}
