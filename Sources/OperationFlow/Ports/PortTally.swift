import Foundation

/// Counts the ports that a thread has made since it last made an operation, which are that operation's.
///
/// An operation whose class was built without reflection metadata does not find its ports, but it can tell that there
/// are some. The count is the thread's own, so that it costs no lock.
enum PortTally {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// A port was made.
  static func add() {
    pthread_setspecific(key, UnsafeMutableRawPointer(bitPattern: Int(bitPattern: pthread_getspecific(key)) + 1))
  }

  /// How many ports there were, which are forgotten.
  @inline(__always)
  static func take() -> Int {
    let count = Int(bitPattern: pthread_getspecific(key))
    if count > 0 { pthread_setspecific(key, nil) }
    return count
  }
}
