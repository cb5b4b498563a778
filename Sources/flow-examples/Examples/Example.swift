import OperationFlow

/// One example: work that throws if anything did not go as promised.
///
/// The same work is done in two styles: the old one is Flow-iOS's, and the new one uses what the library adds to it.
struct Example: Sendable {
  let name: String
  let run: @Sendable (ExampleOutput) async throws -> Void

  static let all = [
    upload, uploadMany, uploadNewStyle, chainedOldStyle, chainedNewStyle,
    loginOldSuccess, loginOldMissingData, loginOldWrongType, loginOldWrongPassword,
    loginNewSuccess, loginNewMissingData, loginNewWrongType, loginNewWrongPassword,
    casesOldStyle, casesNewNested, casesNewOtherwise,
    parallelNewStyle, undoNewStyle,
    progressionReading, progressionHTTP, progressionUpload, progressionRestored,
  ]
}

extension Example {
  /// How an example went.
  enum Verdict: String {
    case passed
    /// A run of it has failed, which is what it shows.
    case failedAsMeant = "failed as meant"
    case failed = "FAILED"

    init(_ failure: (any Error)?, _ records: [FlowRecord]) {
      if failure != nil {
        self = .failed
      } else {
        self = records.contains { $0.ending?.result == .failed } ? .failedAsMeant : .passed
      }
    }
  }

  /// Code without `await` calls this once at its end, with the checks of what it promises.
  typealias Finish = @Sendable (_ checks: () throws -> Void) -> Void

  /// Makes an example whose end comes in a callback, such as a did-finish block.
  init(name: String, start: @escaping @Sendable (ExampleOutput, @escaping Finish) -> Void) {
    self.init(name: name) { output in
      try await withCheckedThrowingContinuation { continuation in
        start(output) { checks in continuation.resume(with: Result { try checks() }) }
      }
    }
  }
}

/// Throws unless an example's promise is true.
func expect(_ isSo: Bool, _ promise: String) throws(BrokenPromise) {
  guard isSo else { throw BrokenPromise(promise: promise) }
}

/// A promise of an example was not kept.
struct BrokenPromise: Error, Hashable, CustomStringConvertible {
  let promise: String

  var description: String { "This was promised and is not so: \(promise). Read the summary for what happened." }
}
