import Foundation
import Uploader

/// The options of `flow-examples receive`.
package struct ReceiveOptions: Hashable, Sendable {
  var folder: URL
  /// The number of files that are answered, while the others wait without an answer; nil for all.
  var answeredCount: Int?
  /// The number of first files that are answered with `status` instead of being stored.
  var failedCount = 0
  var status = 500
  /// The header field Retry-After of that answer; nil for none.
  var retryAfter: String?

  package init(arguments: [String]) throws(UsageError) {
    let values = try OptionValues(
      arguments, valued: ["--folder", "--hold-after", "--fail-first", "--status", "--retry-after"])
    folder = try UsageError.folder(values["--folder"])
    answeredCount = try values.count("--hold-after", from: 0, remedy: "Say how many files are answered.")
    retryAfter = values["--retry-after"]
    failedCount = try values.count("--fail-first", from: 0, remedy: "Say how many files are not stored.") ?? 0
    if let text = values["--status"] {
      guard let number = Int(text), (200..<600).contains(number) else {
        throw UsageError("--status \(text) is no status from 200 to 599.", remedy: "Give one such as 503.")
      }
      status = number
    }
  }
}
