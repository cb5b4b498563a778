/// One example: work that throws where anything did not go as promised.
///
/// The same work is done in two styles: the old one is Flow-iOS's, and the new one is what the library adds to it.
struct Example: Sendable {
  let name: String
  let run: @Sendable () async throws -> Void

  static let all = [
    upload, uploadMany, uploadNewStyle, chainedOldStyle, chainedNewStyle,
    loginOldSuccess, loginOldMissingData, loginOldWrongType, loginOldWrongPassword,
    loginNewSuccess, loginNewMissingData, loginNewWrongType, loginNewWrongPassword,
    casesOldStyle, casesNewNested, casesNewOtherwise,
    progressionReading, progressionHTTP, progressionUpload, progressionRestored,
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

extension Example {
  /// What code without `await` calls once at its end, with the checks of what it promises.
  typealias Finish = @Sendable (_ checks: () throws -> Void) -> Void

  /// An example whose end comes in a callback, such as a did-finish block.
  init(name: String, start: @escaping @Sendable (@escaping Finish) -> Void) {
    self.init(name: name) {
      try await withCheckedThrowingContinuation { continuation in
        start { checks in continuation.resume(with: Result { try checks() }) }
      }
    }
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
