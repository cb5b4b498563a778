/// Frees values that own each other in long chains one after the other, with constant stack.
final class Graveyard {
  private static let local = ThreadLocal<Graveyard>()

  private var values: [Any] = []

  /// Removes the value, and frees it after the values that this thread is freeing already.
  static func bury<Value>(_ value: inout Value?) {
    let running = local.current
    let graveyard = running ?? Graveyard()
    if let taken = value.take() { graveyard.values.append(taken) }
    guard running == nil else { return }
    local.with(graveyard) {
      while graveyard.values.popLast() != nil {}
    }
  }
}
