import Foundation

/// What the command line asks for.
struct Options {
  var filter = ""
  var rounds = 9
  var jsonFile: String?
  /// The memory case that this process is the child for.
  var memoryCase: String?

  static let help = """
    usage: swift run -c release flow-benchmarks [--filter TEXT] [--rounds N] [--json FILE]

      --filter TEXT  only the benchmarks whose name contains the text
      --rounds N     how many rounds, at least 1 (9 unless said); every round runs all peers of a benchmark in turn
      --json FILE    writes the measurements to a file as well
    """

  /// `nil` if the arguments can't be understood, or ask for help.
  init?(_ arguments: some Sequence<String>) {
    var rest = Array(arguments)[...]
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else { return nil }
      switch option {
      case "--filter": filter = value
      case "--rounds":
        guard let count = Int(value), count >= 1 else { return nil }
        rounds = count
      case "--json": jsonFile = value
      case "--memory": memoryCase = value
      default: return nil
      }
    }
  }
}
