import Foundation

/// The lock for changes of progresses, which may all be parts of the same one.
///
/// On Apple's platforms, `Progress` synchronizes threads itself, and its observers are called during a change. On Linux,
/// two threads must not change a progress or its ancestors at once, and nothing is called.
enum ProgressLock {
  #if canImport(Darwin)
    static func change(_ body: () -> Void) { body() }
  #else
    private static let lock = NSLock()

    static func change(_ body: () -> Void) { lock.withLock(body) }
  #endif
}
