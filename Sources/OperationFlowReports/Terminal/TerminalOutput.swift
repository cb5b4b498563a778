import Foundation

/// Where progress is shown: a terminal in which lines can be redrawn, or anything else that takes lines.
struct TerminalOutput: Sendable {
  /// Whether lines can be redrawn in place.
  let isInteractive: Bool
  let window: @Sendable () -> TerminalWindow
  let write: @Sendable (String) -> Void

  /// A file handle, which is interactive if it is a terminal that can be redrawn, and nothing asks for plain lines.
  ///
  /// `NO_COLOR` is set by those who want no control characters, `TERM=dumb` by terminals that know none, and `CI` by
  /// services whose logs are no terminals.
  static func file(_ file: FileHandle, environment: [String: String]) -> TerminalOutput {
    let descriptor = file.fileDescriptor
    return TerminalOutput(
      isInteractive: isatty(descriptor) == 1 && !asksForPlainLines(environment),
      window: { TerminalWindow.of(descriptor) },
      write: { text in
        // A pipe that no one reads any more is no reason to stop a run.
        try? file.write(contentsOf: Data(text.utf8))
      })
  }

  /// Whether the environment asks for plain lines.
  static func asksForPlainLines(_ environment: [String: String]) -> Bool {
    if let color = environment["NO_COLOR"], !color.isEmpty { return true }
    if let service = environment["CI"], !service.isEmpty, service != "false", service != "0" { return true }
    return environment["TERM"] == "dumb" || environment["TERM"]?.isEmpty ?? true
  }
}
