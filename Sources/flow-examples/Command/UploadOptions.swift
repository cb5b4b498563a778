import Foundation

/// The options of `flow-examples upload`.
struct UploadOptions: Hashable, Sendable {
  var folder: URL
  var server: URL
  var width = 3
  var allowsFailure = false

  init(arguments: [String]) throws(UsageError) {
    var values: [String: String] = [:]
    var rest = arguments[...]
    while let option = rest.popFirst() {
      guard values[option] == nil else { throw UsageError("\(option) is given twice.", remedy: "Say it once.") }
      switch option {
      case "--allow-failure":
        values[option] = ""
      case "--folder", "--to", "--width":
        guard let value = rest.popFirst(), !value.hasPrefix("--") else {
          throw UsageError("\(option) has no value.", remedy: "Put it behind the option.")
        }
        values[option] = value
      default:
        throw UsageError(
          "There is no option \(option).", remedy: "Options are --folder, --to, --width and --allow-failure.")
      }
    }
    folder = try UsageError.folder(values["--folder"])
    server = try Self.server(values["--to"])
    if let text = values["--width"] { width = try Self.width(text) }
    allowsFailure = values["--allow-failure"] != nil
  }

  private static func server(_ text: String?) throws(UsageError) -> URL {
    guard let text else { throw UsageError("No server is given.", remedy: "Name one with --to URL.") }
    guard let parts = URLComponents(string: text), let url = parts.url, !(parts.host ?? "").isEmpty,
      ["http", "https"].contains(parts.scheme?.lowercased())
    else {
      throw UsageError(
        "\(text) is no http or https address.", remedy: "Give one such as --to http://localhost:8080/photos.")
    }
    // Refused rather than ignored: a password would appear in the summary. It is not repeated here either.
    guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil else {
      throw UsageError("The address holds a user, a query or a fragment.", remedy: "Leave these out of --to URL.")
    }
    return url
  }

  private static func width(_ text: String) throws(UsageError) -> Int {
    guard let width = Int(text), width >= 1 else {
      throw UsageError("--width \(text) is no number from 1 up.", remedy: "Say how many files are sent at once.")
    }
    return width
  }
}
