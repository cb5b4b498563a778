import Foundation

/// What the command line asks for.
enum Command: Hashable, Sendable {
  /// Runs the examples with these names, prints their summaries if it runs in full, and writes reports to a folder.
  case runExamples([String], inFull: Bool, reports: URL?)
  case upload(UploadOptions)
  case receive(ReceiveOptions)
  case soak(SoakOptions)
  case crash
  case distributed(DistributedOptions)
  /// Makes the page of a saved record.
  case report(URL)
  case showHelp

  init(arguments: [String]) throws(UsageError) {
    let first = arguments.first
    if arguments.contains("--help") || arguments.contains("-h") || first == "help" {
      self = .showHelp
    } else if first == "upload" {
      self = .upload(try UploadOptions(arguments: Array(arguments.dropFirst())))
    } else if first == "receive" {
      self = .receive(try ReceiveOptions(arguments: Array(arguments.dropFirst())))
    } else if first == "soak" {
      self = .soak(try SoakOptions(arguments: Array(arguments.dropFirst())))
    } else if first == "crash" {
      guard arguments.count == 1 else {
        throw UsageError("crash has no options.", remedy: "Say flow-examples crash.")
      }
      self = .crash
    } else if first == "distributed" {
      self = .distributed(try DistributedOptions(arguments: Array(arguments.dropFirst())))
    } else if first == "report" {
      guard arguments.count == 2 else {
        throw UsageError("report takes one saved record.", remedy: "Say flow-examples report RECORD.jsonl.")
      }
      self = .report(URL(fileURLWithPath: arguments[1]))
    } else {
      self = try Self.examples(arguments)
    }
  }

  /// All examples, or those whose names contain the given text.
  private static func examples(_ arguments: [String]) throws(UsageError) -> Command {
    let isVerbose = arguments.contains("--verbose")
    var words = arguments.filter { $0 != "--verbose" }
    var reports: URL?
    if let index = words.firstIndex(of: "--report") {
      guard index + 1 < words.count, !words[index + 1].hasPrefix("--") else {
        throw UsageError("--report has no folder.", remedy: "Put the folder after the option.")
      }
      reports = URL(fileURLWithPath: words[index + 1], isDirectory: true)
      words.removeSubrange(index...(index + 1))
    }
    if let option = words.first(where: { $0.hasPrefix("-") }) {
      throw UsageError("There is no option \(option).", remedy: "Options are --verbose and --report DIR.")
    }
    guard !words.isEmpty else {
      return .runExamples(Example.all.map(\.name), inFull: isVerbose, reports: reports)
    }
    let name = words.joined(separator: " ")
    let examples = Example.named(name)
    guard !examples.isEmpty else {
      throw UsageError(
        "There is no command and no example \(name).",
        remedy:
          "Say upload, receive, soak, crash, distributed, report, or what the name of an example contains, such as login."
      )
    }
    return .runExamples(examples.map(\.name), inFull: true, reports: reports)
  }

  /// Runs the command.
  ///
  /// - Returns: The exit code: 0 if everything succeeded, otherwise 1, or that of the signal that has ended it.
  func run() async -> Int32 {
    switch self {
    case .runExamples(let names, let isInFull, let reports):
      let examples = Example.all.filter { names.contains($0.name) }
      return await Example.run(examples, inFull: isInFull, reports: reports) == 0 ? 0 : 1
    case .upload(let options):
      return await options.upload()
    case .receive(let options):
      return await options.receive()
    case .soak(let options):
      return await options.soak()
    case .crash:
      return await CrashExample.run()
    case .distributed(let options):
      return await DistributedExample.run(options)
    case .report(let url):
      return SavedRecord.report(url)
    case .showHelp:
      print(Self.help)
      return 0
    }
  }
}

/// Why a command line cannot be understood.
struct UsageError: Error, Hashable, CustomStringConvertible {
  let problem: String
  let remedy: String

  init(_ problem: String, remedy: String) {
    self.problem = problem
    self.remedy = remedy
  }

  var description: String { "\(problem) \(remedy) See flow-examples --help." }
}
