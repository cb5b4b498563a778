import OperationFlow

/// A generator of random numbers that are the same for the same seed.
package typealias SeededGenerator = SplitMix

extension SplitMix {
  /// Returns true once in `count` times.
  package mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

  package mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}
