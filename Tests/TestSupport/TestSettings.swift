import Foundation

/// Settings in environment variables, for the amount of work that the tests do.
package enum TestSettings {
  /// A factor for work that has no natural end, such as random flows: `OPERATIONFLOW_EFFORT`, 1 unless it is set.
  ///
  /// Runs under a sanitizer, which makes everything ten times as slow, set less than 1. With 0 there is one seed alone.
  package static let effort =
    ProcessInfo.processInfo.environment["OPERATIONFLOW_EFFORT"].flatMap { Double($0) }.map { min(max($0, 0), 10_000) }
    ?? 1

  /// Returns the number of random flows, inputs or crashes for a test; at least one.
  ///
  /// - Parameter usual: The number if nothing is set.
  /// - Returns: The number.
  package static func amount(_ usual: Int) -> Int { max(1, Int(Double(usual) * effort)) }

  /// Returns some of many cases, chosen at random, in their order; all of them if the effort allows at least that many.
  ///
  /// - Parameters:
  ///   - usual: The number of chosen cases if nothing is set.
  ///   - cases: The cases.
  /// - Returns: The chosen cases.
  package static func sample(_ usual: Int, of cases: Range<Int>) -> [Int] {
    Array(cases.shuffled().prefix(amount(usual))).sorted()
  }

  /// Returns the first seed of random tests: `OPERATIONFLOW_SEED`, which repeats a failure, or a random one.
  package static func firstSeed() -> UInt64 {
    ProcessInfo.processInfo.environment["OPERATIONFLOW_SEED"].flatMap { UInt64($0) }
      ?? UInt64.random(in: 0..<1_000_000_000_000)
  }

  /// The number of steps or items in a test of great numbers; at most a million.
  ///
  /// It is never so small that code that recurses for each of them would pass.
  package static let longCount = min(max(amount(100_000), 20_000), 1_000_000)
}
