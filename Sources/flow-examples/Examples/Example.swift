/// One example: work that throws where anything did not go as promised.
struct Example: Sendable {
  let name: String
  let run: @Sendable () async throws -> Void

  static let all = [
    upload, chained, loginSuccess, loginMissingData, loginWrongType, loginWrongPassword, cases, otherwise,
  ]

  /// Runs all examples one after the other and says how each went.
  ///
  /// - Returns: How many failed.
  static func runAll() async -> Int {
    var failedCount = 0
    for example in all {
      print("\n# \(example.name)")
      do {
        try await example.run()
        print("\(example.name): passed")
      } catch {
        failedCount += 1
        print("\(example.name): failed")
        Console.report("flow-examples: \(example.name): \(error)")
      }
    }
    print("\nflow-examples: \(all.count - failedCount) examples passed, \(failedCount) failed")
    return failedCount
  }
}

/// Throws unless what an example promises is so.
func expect(_ isSo: Bool, _ promise: String) throws(BrokenPromise) {
  guard isSo else { throw BrokenPromise(promise: promise) }
}

/// Something that an example promises was not so.
struct BrokenPromise: Error, Hashable, CustomStringConvertible {
  let promise: String

  var description: String { "This was promised and is not so: \(promise). Read the summary for what happened." }
}
