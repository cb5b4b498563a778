import Foundation

/// What a command-line program writes besides its results.
package enum Console {
  /// Whether standard error is a terminal, so that a line may be rewritten.
  package static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Writes a line to standard error.
  package static func report(_ line: String) {
    write(line + "\n")
  }

  /// Writes a text to standard error, unchanged.
  package static func write(_ text: String) {
    // What was printed before comes first, even if both outputs go to the same file.
    fflush(nil)
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
