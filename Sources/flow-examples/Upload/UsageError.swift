import Foundation

/// An error of an invalid command line.
package struct UsageError: Error, Hashable, CustomStringConvertible {
  package let problem: String
  package let remedy: String

  package init(_ problem: String, remedy: String) {
    self.problem = problem
    self.remedy = remedy
  }

  package var description: String { "\(problem) \(remedy) See --help." }

  /// Returns the folder that an option names.
  package static func folder(_ path: String?) throws(UsageError) -> URL {
    guard let path, !path.isEmpty else {
      throw UsageError("No folder is given.", remedy: "Name one with --folder DIR.")
    }
    return URL(fileURLWithPath: path, isDirectory: true)
  }
}
