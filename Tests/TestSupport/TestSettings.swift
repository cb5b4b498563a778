import Foundation

/// What the environment says of how much the tests do.
package enum TestSettings {
  /// How much is done of what could go on without end, such as random work: `OPERATIONFLOW_EFFORT`, 1 unless it is set.
  ///
  /// Below 1 are runs under a sanitizer, which make everything ten times as slow, and 0 is one seed alone.
  package static let effort =
    ProcessInfo.processInfo.environment["OPERATIONFLOW_EFFORT"].flatMap { Double($0) }.map { min(max($0, 0), 10_000) }
    ?? 1

  /// The number of random flows, inputs or crashes that a test takes; at least one.
  ///
  /// - Parameter usual: The number if nothing is set.
  /// - Returns: The number.
  package static func amount(_ usual: Int) -> Int { max(1, Int(Double(usual) * effort)) }

  /// Some of many cases, at random, in their order; all of them if there are no more than the effort allows.
  ///
  /// - Parameters:
  ///   - usual: How many are taken if nothing is set.
  ///   - cases: The cases.
  /// - Returns: Those to take.
  package static func sample(_ usual: Int, of cases: Range<Int>) -> [Int] {
    Array(cases.shuffled().prefix(amount(usual))).sorted()
  }

  /// The first seed of random tests: `OPERATIONFLOW_SEED`, with which a failure is seen again, or any.
  package static func firstSeed() -> UInt64 {
    ProcessInfo.processInfo.environment["OPERATIONFLOW_SEED"].flatMap { UInt64($0) }
      ?? UInt64.random(in: 0..<1_000_000_000_000)
  }

  /// How many steps or items a test of great numbers takes: a million at most.
  ///
  /// It is never so few that what recurses for each would pass.
  package static let longCount = min(max(amount(100_000), 20_000), 1_000_000)
}
