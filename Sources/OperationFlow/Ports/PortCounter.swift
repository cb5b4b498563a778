import Foundation

/// Counts the ports that a thread has created since it last created an operation; they belong to that operation.
///
/// An operation whose class was built without reflection metadata can't find its ports, but it can detect that there
/// are some. Each thread has its own count, so that it needs no lock.
enum PortCounter {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  static func add() {
    pthread_setspecific(key, UnsafeMutableRawPointer(bitPattern: Int(bitPattern: pthread_getspecific(key)) + 1))
  }

  static func take() -> Int {
    let count = Int(bitPattern: pthread_getspecific(key))
    if count > 0 { pthread_setspecific(key, nil) }
    return count
  }
}
