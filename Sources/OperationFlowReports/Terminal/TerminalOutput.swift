import Foundation

/// The destination of progress: a terminal whose lines can be redrawn, or anything else that accepts lines.
struct TerminalOutput: Sendable {
  /// True if lines can be redrawn in place.
  let isInteractive: Bool
  let window: @Sendable () -> TerminalWindow
  let write: @Sendable (String) -> Void

  /// Returns the output to a file, interactive if it is a terminal and the environment doesn't ask for plain lines.
  ///
  /// Users set `NO_COLOR` to avoid control characters. Terminals without control characters set `TERM=dumb`, and
  /// services with logs instead of terminals set `CI`.
  static func file(_ file: FileHandle, environment: [String: String]) -> TerminalOutput {
    let descriptor = file.fileDescriptor
    return TerminalOutput(
      isInteractive: isatty(descriptor) == 1 && !asksForPlainLines(environment),
      window: { TerminalWindow.of(descriptor) },
      write: { text in
        // A pipe without a reader must not stop the run.
        try? file.write(contentsOf: Data(text.utf8))
      })
  }

  /// Returns true if the environment asks for plain lines.
  static func asksForPlainLines(_ environment: [String: String]) -> Bool {
    if let color = environment["NO_COLOR"], !color.isEmpty { return true }
    if let service = environment["CI"], !service.isEmpty, service != "false", service != "0" { return true }
    return environment["TERM"] == "dumb" || environment["TERM"]?.isEmpty ?? true
  }
}
