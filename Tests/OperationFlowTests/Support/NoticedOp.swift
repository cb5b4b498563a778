import Foundation

@testable import OperationFlow

/// Tells when its run has found that it is not ready, and asks what it waits for.
final class NoticedOp: FlowOperation, @unchecked Sendable {
  let isNoticed = Signal()
  private let body: @Sendable (NoticedOp) -> Void

  init(_ body: @escaping @Sendable (NoticedOp) -> Void = { $0.finishSuccessfully() }) { self.body = body }

  override var dependencies: [Operation] {
    if withLifecycle({ $0.attachment != nil }) { isNoticed.fire() }
    return super.dependencies
  }

  override func mainLogic() { body(self) }
}
