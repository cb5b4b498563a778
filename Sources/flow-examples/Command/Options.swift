import Foundation

/// The options of the examples.
enum Options {
  /// The folder for reports: that of `--report DIR`, or a temporary folder, which later runs use again.
  static var reports: URL {
    if let index = CommandLine.arguments.firstIndex(of: "--report"), index + 1 < CommandLine.arguments.count {
      return URL(fileURLWithPath: CommandLine.arguments[index + 1], isDirectory: true)
    }
    return FileManager.default.temporaryDirectory.appending(component: "flow-examples-\(NSUserName())")
  }
}
