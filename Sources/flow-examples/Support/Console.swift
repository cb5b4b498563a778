import Foundation

/// What a command-line program writes besides its results.
enum Console {
  /// Whether standard error is a terminal, so that a line may be rewritten.
  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Writes a line to standard output immediately, also if that is a pipe.
  static func say(_ line: String) {
    print(line)
    fflush(nil)
  }

  /// Writes a line to standard error.
  static func report(_ line: String) {
    write(line + "\n")
  }

  /// Writes a text to standard error, unchanged.
  static func write(_ text: String) {
    // What was printed before comes first, even if both outputs go to the same file.
    fflush(nil)
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
