import Foundation

/// The options of `flow-examples receive`.
struct ReceiveOptions: Hashable, Sendable {
  var folder: URL
  /// How many files are answered, while the others are left waiting; nil for all.
  var answeredCount: Int?

  init(arguments: [String]) throws(UsageError) {
    var values: [String: String] = [:]
    var rest = arguments[...]
    while let option = rest.popFirst() {
      guard ["--folder", "--hold-after"].contains(option) else {
        throw UsageError("There is no option \(option).", remedy: "Options are --folder and --hold-after.")
      }
      guard let value = rest.popFirst(), !value.hasPrefix("--") else {
        throw UsageError("\(option) has no value.", remedy: "Put it behind the option.")
      }
      values[option] = value
    }
    folder = try UsageError.folder(values["--folder"])
    guard let text = values["--hold-after"] else { return }
    guard let count = Int(text), count >= 0 else {
      throw UsageError("--hold-after \(text) is no number from 0 up.", remedy: "Say how many files are answered.")
    }
    answeredCount = count
  }
}

extension UsageError {
  /// The folder that an option names.
  static func folder(_ path: String?) throws(UsageError) -> URL {
    guard let path, !path.isEmpty else {
      throw UsageError("No folder is given.", remedy: "Name one with --folder DIR.")
    }
    return URL(fileURLWithPath: path, isDirectory: true)
  }
}
