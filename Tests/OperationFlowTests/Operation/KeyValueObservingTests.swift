#if canImport(Darwin)
  import Foundation
  import OperationFlow
  import TestSupport
  import Testing

  /// The notifications that key-value observers of an operation receive.
  ///
  /// They exist on Apple's platforms only.
  @Suite(.watched) struct KeyValueObservingTests {
    private final class QuickOp: FlowOperation, @unchecked Sendable {
      override func mainLogic() { finishSuccessfully() }
    }

    @Test func `observers are told before and after a change, and see it in between`() {
      let operation = QuickOp()
      let observer = PropertyObserver(["isExecuting", "isFinished"], of: operation)
      operation.start()
      observer.stop()
      #expect(
        observer.notes == [
          "will isExecuting: false", "did isExecuting: true", "will isExecuting: true", "will isFinished: false",
          "did isExecuting: false", "did isFinished: true",
        ])
    }

    @Test func `an operation that is cancelled before its start finishes without executing`() {
      let operation = QuickOp()
      let observer = PropertyObserver(["isExecuting", "isFinished"], of: operation)
      operation.cancel()
      operation.start()
      observer.stop()
      #expect(observer.notes == ["will isFinished: false", "did isFinished: true"])
    }

    @Test func `observers are told of a cancellation`() {
      let operation = QuickOp()
      let observer = PropertyObserver(["isCancelled"], of: operation)
      operation.cancel()
      observer.stop()
      #expect(observer.notes.first == "will isCancelled: false")
      #expect(observer.notes.last == "did isCancelled: true")
    }

    @Test func `an operation becomes ready when the one that it depends on has finished, and its queue starts it`()
      async
    {
      let (first, second, queue) = (QuickOp(), QuickOp(), OperationQueue())
      second.addDependency(first)
      let observer = PropertyObserver(["isReady"], of: second)
      queue.addOperation(second)
      await withCheckedContinuation { continuation in
        second.completionBlock = { continuation.resume() }
        OperationQueue().addOperation(first)
      }
      observer.stop()
      #expect(first.isFinished && second.isFinished)
      #expect(observer.notes.contains("did isReady: true"))
    }
  }

  /// Records each notification about a property, and the property's value at that moment.
  private final class PropertyObserver: NSObject, @unchecked Sendable {
    // Invariant: the records are behind a lock, and nothing else changes.
    private let names: [String]
    private let object: NSObject
    private let noted = Locked([String]())

    init(_ names: [String], of object: NSObject) {
      (self.names, self.object) = (names, object)
      super.init()
      for name in names { object.addObserver(self, forKeyPath: name, options: [.prior], context: nil) }
    }

    var notes: [String] { noted.withLock { $0 } }

    func stop() { for name in names { object.removeObserver(self, forKeyPath: name) } }

    override func observeValue(
      forKeyPath name: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
      context: UnsafeMutableRawPointer?
    ) {
      guard let name, let operation = object as? Operation else { return }
      let value =
        switch name {
        case "isExecuting": operation.isExecuting
        case "isFinished": operation.isFinished
        case "isReady": operation.isReady
        default: operation.isCancelled
        }
      let isPrior = change?[.notificationIsPriorKey] as? Bool == true
      noted.withLock { $0.append("\(isPrior ? "will" : "did") \(name): \(value)") }
    }
  }
#endif
