import Testing

/// Watches the tests of a suite, so that a test that hangs is named.
///
/// Every outermost suite has this trait.
package struct WatchedTrait: SuiteTrait, TestTrait, TestScoping {
  /// The turn that each test waits for; `nil` if they need none.
  let turn: Turn?

  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await turn?.acquire()
    defer { turn?.pass() }
    let place = "\(test.sourceLocation.fileID):\(test.sourceLocation.line)"
    try await SuiteWatch.shared.watch("\(test.displayName ?? test.name) at \(place)") { try await function() }
  }
}

extension Trait where Self == WatchedTrait {
  /// Names a test of the suite if it hangs.
  package static var watched: Self { Self(turn: nil) }

  /// Does what `watched` does, and never runs a test of the suite beside one of another heavy suite, in any target.
  ///
  /// For suites that block many threads, or measure a process of their own.
  package static var heavy: Self { Self(turn: .ofHeavyTests) }

  /// Does what `watched` does, and never runs a test of the suite beside one of another long suite, in any target.
  ///
  /// For suites that do much random work, and don't disturb heavy ones.
  package static var long: Self { Self(turn: .ofLongTests) }
}
