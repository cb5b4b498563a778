import Foundation

/// What the environment says of how much the tests do.
package enum TestSettings {
  /// The number that `OPERATIONFLOW_` and a name stand for; the default if nothing is set.
  package static func number(_ name: String, default usual: Int) -> Int {
    ProcessInfo.processInfo.environment["OPERATIONFLOW_" + name].flatMap { Int($0) } ?? usual
  }

  /// The first seed of random tests: `OPERATIONFLOW_SEED`, with which a failure is seen again, or any.
  package static func firstSeed() -> UInt64 {
    ProcessInfo.processInfo.environment["OPERATIONFLOW_SEED"].flatMap { UInt64($0) }
      ?? UInt64.random(in: 0..<1_000_000_000_000)
  }

  /// How many steps or items a test of great numbers takes: `OPERATIONFLOW_LONG_COUNT`.
  ///
  /// Under a sanitizer a million keep the threads of the pool from other tests for minutes.
  package static let longCount = number("LONG_COUNT", default: 1_000_000)
}
