import Foundation

/// An object for each thread, available while a function on the thread's stack owns it.
struct ThreadLocal<Value: AnyObject>: Sendable {
  private let key: pthread_key_t

  init() {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    self.key = key
  }

  /// The thread's object.
  var current: Value? {
    pthread_getspecific(key).map { Unmanaged<Value>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Makes `value` the thread's object while `body` runs.
  func with(_ value: Value, _ body: () -> Void) {
    let previous = pthread_getspecific(key)
    // This function owns the object, so the thread's reference doesn't have to.
    withExtendedLifetime(value) {
      pthread_setspecific(key, Unmanaged.passUnretained(value).toOpaque())
      body()
      pthread_setspecific(key, previous)
    }
  }
}
