import Foundation

/// The options of the command line.
struct Options {
  var filter = ""
  var rounds = 9
  var jsonFile: String?
  /// The document whose tables are replaced.
  var document: String?
  /// The commit whose build this one is compared with.
  var commit: String?
  /// The number of other processes that use processors during the measurement.
  var load = 0
  /// The parent process if this process only uses a processor.
  var spinsFor: Int32?
  /// The memory case to run if this process is a child for one.
  var memoryCase: String?

  static let help = """
    usage: swift run -c release flow-benchmarks [--filter TEXT] [--rounds N] [--load N] [--json FILE] [--update FILE]
           swift run -c release flow-benchmarks --against COMMIT [--filter TEXT] [--rounds N]

      --filter TEXT  only the benchmarks whose name contains the text
      --rounds N     how many rounds, at least 1 (9 unless said); every round runs all peers of a benchmark in turn
      --load N       keeps N processors busy by other processes meanwhile
      --json FILE    writes the measurements to a file as well
      --against COMMIT  builds that commit in .build/against, runs both builds in turns, and prints the ratio of each row
      --update FILE  writes the rows that have a limit into a document, between <!-- figures --> and <!-- end of figures -->,
                     without those that compare sizes
    """

  /// Parses the arguments; `nil` if they are invalid, or ask for help.
  init?(_ arguments: some Sequence<String>) {
    var rest = Array(arguments)[...]
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else { return nil }
      switch option {
      case "--filter": filter = value
      case "--rounds":
        guard let count = Int(value), count >= 1 else { return nil }
        rounds = count
      case "--load":
        guard let count = Int(value), count >= 0 else { return nil }
        load = count
      case "--against": commit = value
      case "--json": jsonFile = value
      case "--update": document = value
      case BackgroundLoad.option: spinsFor = Int32(value)
      case "--memory": memoryCase = value
      default: return nil
      }
    }
  }
}
