import Foundation

/// The output of a command-line program besides its results.
package enum Console {
  /// True if standard error is a terminal, where a line may be rewritten.
  package static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Writes a line to standard error.
  package static func report(_ line: String) {
    write(line + "\n")
  }

  /// Writes a text to standard error, unchanged.
  package static func write(_ text: String) {
    // The text follows all earlier output, even if both outputs are the same file.
    fflush(nil)
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
