import Testing

/// Watches the tests of a suite, so that one that hangs is named; every outermost suite has this trait.
package struct WatchedTrait: SuiteTrait, TestTrait, TestScoping {
  let isHeavy: Bool

  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    if isHeavy { await Turn.ofHeavyTests.take() }
    defer { if isHeavy { Turn.ofHeavyTests.pass() } }
    let place = "\(test.sourceLocation.fileID):\(test.sourceLocation.line)"
    try await SuiteWatch.shared.watch("\(test.displayName ?? test.name) at \(place)") { try await function() }
  }
}

extension Trait where Self == WatchedTrait {
  /// Names a test of the suite if it hangs.
  package static var watched: Self { Self(isHeavy: false) }

  /// The same, and the suite's tests never run beside those of another heavy suite, in whatever target.
  ///
  /// For suites that keep every core at work, block many threads, or measure a process of their own.
  package static var heavy: Self { Self(isHeavy: true) }
}
