import Foundation
import OperationFlow

/// The options of the examples.
enum Options {
  /// True if each event is shown.
  static var isVerbose: Bool { CommandLine.arguments.contains("--verbose") }

  /// The folder for reports: that of `--report DIR`, or a temporary folder, which later runs use again.
  static var reports: URL {
    if let index = CommandLine.arguments.firstIndex(of: "--report"), index + 1 < CommandLine.arguments.count {
      return URL(fileURLWithPath: CommandLine.arguments[index + 1], isDirectory: true)
    }
    return FileManager.default.temporaryDirectory.appending(component: "flow-examples-\(NSUserName())")
  }
}

extension FlowSummaryStyle {
  /// The brief summary; with `--verbose`, the one with each event.
  static var chosen: FlowSummaryStyle { Options.isVerbose ? .events : .brief }
}
