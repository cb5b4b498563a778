#if !canImport(Darwin)
  import Synchronization

  /// How many threads wait for locks of this package.
  ///
  /// They are asleep, but not blocked by users' work: more threads would only wait for the same locks.
  enum LockWaits {
    private static let count = Atomic<Int>(0)

    static var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    static func counting(_ wait: () -> Void) {
      count.add(1, ordering: .relaxed)
      wait()
      count.subtract(1, ordering: .relaxed)
    }
  }
#endif
