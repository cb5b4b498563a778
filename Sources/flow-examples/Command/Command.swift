/// What the command line asks for.
enum Command: Hashable, Sendable {
  case runExamples
  case upload(UploadOptions)
  case showHelp

  init(arguments: [String]) throws(UsageError) {
    guard let first = arguments.first else {
      self = .runExamples
      return
    }
    if arguments.contains("--help") || arguments.contains("-h") || first == "help" {
      self = .showHelp
    } else if first == "upload" {
      self = .upload(try UploadOptions(arguments: Array(arguments.dropFirst())))
    } else {
      throw UsageError("There is no command \(first).", remedy: "Say upload, or nothing to run the examples.")
    }
  }

  /// Does what is asked for.
  ///
  /// - Returns: The exit code: 0 where everything went as it should, else 1.
  func run() async -> Int32 {
    switch self {
    case .runExamples:
      return await Example.runAll() == 0 ? 0 : 1
    case .upload(let options):
      return await options.upload() ? 0 : 1
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
