import Dispatch
import Foundation

@testable import OperationFlowProgressions

/// A performer that runs its work immediately, on the caller's thread.
let atOncePerformer: AsyncPerformer = { work in work() }

/// A list to which any thread appends.
final class Noted<Element: Sendable>: Sendable {
  private let list = Locked<[Element]>([])

  var all: [Element] { list.withLock { $0 } }

  /// Appends an element, and returns the new count.
  @discardableResult
  func add(_ element: Element) -> Int {
    list.withLock { list in
      list.append(element)
      return list.count
    }
  }
}

/// A future's callback, stored for the test to call.
final class Callback<Value>: @unchecked Sendable {
  // Invariant: `kept` is used only under `lock`.
  private let lock = NSLock()
  private var kept: Deferred<Value>.Resolve?
  private let isStarted = Signal()

  /// A future that the test resolves.
  var future: Deferred<Value> {
    .future { resolve in
      self.lock.withLock { self.kept = resolve }
      self.isStarted.fire()
    }
  }

  func started() async { await isStarted.wait() }

  func resolve(_ use: @escaping Deferred<Value>.UseResult) { lock.withLock { kept }?(use) }

  func drop() {
    let dropped = lock.withLock {
      defer { kept = nil }
      return kept
    }
    withExtendedLifetime(dropped) {}
  }
}

/// A queue that can check whether code runs on it.
struct MarkedQueue: Sendable {
  private let key = DispatchSpecificKey<Bool>()
  let queue: DispatchQueue

  init(attributes: DispatchQueue.Attributes = []) {
    queue = DispatchQueue(label: "marked", attributes: attributes)
    queue.setSpecific(key: key, value: true)
  }

  var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
