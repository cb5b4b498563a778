import Foundation

/// The output of a command, and the input for its questions.
struct Console: Sendable {
  /// Prints a line of the result.
  let print: @Sendable (String) -> Void
  /// Prints a line that is no result: an error or a question.
  let report: @Sendable (String) -> Void
  /// Reads the answer to a question; `nil` if there is none.
  let answer: @Sendable () -> String?

  /// The standard streams.
  static let standard = Console(
    print: { Swift.print($0) },
    report: { FileHandle.standardError.write(Data(($0 + "\n").utf8)) },
    answer: { readLine() })
}
