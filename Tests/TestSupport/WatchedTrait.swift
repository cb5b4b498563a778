import Testing

/// Watches the tests of a suite, so that one that hangs is named; every outermost suite has this trait.
package struct WatchedTrait: SuiteTrait, TestTrait, TestScoping {
  /// What its tests wait for, one after the other; `nil` if they need no turn.
  let turn: Turn?

  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await turn?.take()
    defer { turn?.pass() }
    let place = "\(test.sourceLocation.fileID):\(test.sourceLocation.line)"
    try await SuiteWatch.shared.watch("\(test.displayName ?? test.name) at \(place)") { try await function() }
  }
}

extension Trait where Self == WatchedTrait {
  /// Names a test of the suite if it hangs.
  package static var watched: Self { Self(turn: nil) }

  /// The same, and the suite's tests never run beside those of another heavy suite, in whatever target.
  ///
  /// For suites that block many threads, or measure a process of their own.
  package static var heavy: Self { Self(turn: .ofHeavyTests) }

  /// The same, and the suite's tests never run beside those of another long suite, in whatever target.
  ///
  /// For suites that go through much random work, which leaves heavy ones undisturbed.
  package static var long: Self { Self(turn: .ofLongTests) }
}
