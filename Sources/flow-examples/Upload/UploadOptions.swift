import Foundation

/// The options of `flow-examples upload`.
package struct UploadOptions: Hashable, Sendable {
  package var folder: URL
  package var server: URL
  package var rules = UploadRules()
  /// The folder of the upload's journal, with which it can be resumed; nil for none.
  package var journal: URL?
  /// The folder for the upload's reports; nil for none.
  package var reports: URL?
  /// True if the summary has a line for each event.
  package var isVerbose = false

  package init(arguments: [String]) throws(UsageError) {
    let values = try OptionValues(
      arguments, valued: ["--folder", "--to", "--width", "--retry", "--timeout", "--rate", "--resume", "--report"],
      flags: ["--allow-failure", "--verbose"])
    folder = try UsageError.folder(values["--folder"])
    server = try Self.server(values["--to"])
    rules.width = try values.count("--width", from: 1, remedy: "Say how many files are sent at once.") ?? 3
    rules.attempts =
      try values.count("--retry", from: 1, remedy: "Say how often a file is tried; 1 is without a retry.") ?? 3
    rules.timeout = try values.seconds("--timeout", remedy: "Say how long an attempt may take.") ?? rules.timeout
    rules.rate = try values.count("--rate", from: 1, remedy: "Say how many files are begun in a second.")
    journal = values["--resume"].map { URL(fileURLWithPath: $0, isDirectory: true) }
    reports = values["--report"].map { URL(fileURLWithPath: $0, isDirectory: true) }
    isVerbose = values["--verbose"] != nil
    rules.allowsFailure = values["--allow-failure"] != nil
  }

  /// Parses the server that an option names.
  package static func server(_ text: String?) throws(UsageError) -> URL {
    guard let text else { throw UsageError("No server is given.", remedy: "Name one with --to URL.") }
    guard let parts = URLComponents(string: text), let url = parts.url, !(parts.host ?? "").isEmpty,
      ["http", "https"].contains(parts.scheme?.lowercased())
    else {
      throw UsageError(
        "\(text) is no http or https address.", remedy: "Give one such as --to http://localhost:8080/photos.")
    }
    // Refused rather than ignored: a password would appear in the summary. So the error doesn't repeat it either.
    guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil else {
      throw UsageError("The address holds a user, a query or a fragment.", remedy: "Leave these out of --to URL.")
    }
    return url
  }
}
