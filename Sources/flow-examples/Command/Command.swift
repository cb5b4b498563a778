import Foundation
import UploadServer
import Uploader

/// A valid command line.
enum Command: Hashable, Sendable {
  /// Runs the examples with these names; a single one in this process.
  case runExamples([String])
  case upload(UploadOptions)
  case receive(ReceiveOptions)
  /// Creates the page of a saved record.
  case report(URL)
  case showHelp

  init(arguments: [String]) throws(UsageError) {
    let rest = Array(arguments.dropFirst())
    guard !arguments.contains("--help"), !arguments.contains("-h") else {
      self = .showHelp
      return
    }
    switch arguments.first {
    case "help": self = .showHelp
    // Without a folder and a server, it is the example with that name.
    case "upload" where rest.contains { $0.hasPrefix("--") && $0 != "--report" }:
      self = .upload(try UploadOptions(arguments: rest))
    case "receive": self = .receive(try ReceiveOptions(arguments: rest))
    case "report":
      guard rest.count == 1 else {
        throw UsageError("report takes one saved record.", remedy: "Say flow-examples report RECORD.jsonl.")
      }
      self = .report(URL(fileURLWithPath: rest[0]))
    default: self = try Self.examples(arguments)
    }
  }

  /// Returns the command for all examples, or for those whose names contain the given text.
  private static func examples(_ arguments: [String]) throws(UsageError) -> Command {
    var words = arguments
    if let index = words.firstIndex(of: "--report") {
      guard index + 1 < words.count, !words[index + 1].hasPrefix("--") else {
        throw UsageError("--report has no folder.", remedy: "Put the folder after the option.")
      }
      words.removeSubrange(index...(index + 1))
    }
    if let option = words.first(where: { $0.hasPrefix("-") }) {
      throw UsageError("There is no option \(option).", remedy: "The option is --report DIR.")
    }
    let all = Example.all.map(\.name)
    guard !words.isEmpty else { return .runExamples(all) }
    let name = words.joined(separator: "-").lowercased()
    let names = all.contains(name) ? [name] : all.filter { $0.contains(name) }
    guard !names.isEmpty else {
      let commands = "upload, receive, report"
      throw UsageError(
        "There is no command and no example \(name).",
        remedy: "Commands are \(commands); examples are \(all.joined(separator: ", ")).")
    }
    return .runExamples(names)
  }

  /// Runs the command.
  ///
  /// - Returns: The exit code: 0 if everything succeeded, otherwise 1, or that of the signal that has ended the
  ///   command.
  func run() async -> Int32 {
    switch self {
    case .runExamples(let names):
      let examples = Example.all.filter { names.contains($0.name) }
      return examples.count == 1 ? await examples[0].run() : await Example.run(examples)
    case .upload(let options): return await options.upload()
    case .receive(let options): return await options.receive()
    case .report(let url): return SavedRecord.report(url)
    case .showHelp:
      print(Self.help)
      return 0
    }
  }
}
