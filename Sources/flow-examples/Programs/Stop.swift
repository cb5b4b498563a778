import Foundation
import OperationFlow

enum Stop {
  static func main() async throws {
    let scratch = FileManager.default.temporaryDirectory.appending(component: "render-\(UUID())")
    let render = Flow("Render")
      .add("make a folder") { _ in
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
      }
      .forEach(in: 1...20, width: 2, .named("frames")) { frame, _ in
        try await Task.sleep(for: .milliseconds(100))
        try Data("\(frame)".utf8).write(to: scratch.appending(component: "\(frame)"))
      }
      .always {
        $0.add("clean up") { context in
          try FileManager.default.removeItem(at: scratch)
          context.log("removed the frames")
        }
      }

    let run = render.start()
    run.cancel(onSignals: .interrupt, .terminate) { signal in
      FileHandle.standardError.write(Data("stopping after \(signal)\n".utf8))
    }
    let outcome = await run.outcome
    print(outcome.report.summary(style: .brief), terminator: "")
    switch outcome {
    case .succeeded: exit(0)
    case .failed: exit(1)
    case .cancelled(let report): exit(report.cancellation == .signal(.terminate) ? 143 : 130)
    }
  }
}
