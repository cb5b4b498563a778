import Foundation
import OperationFlow

/// Tells when its run has found that it is not ready, and asks what it waits for.
package final class NoticedOp: FlowOperation, @unchecked Sendable {
  package let isNoticed = Signal()
  private let body: @Sendable (NoticedOp) -> Void

  package init(_ body: @escaping @Sendable (NoticedOp) -> Void = { $0.finishSuccessfully() }) { self.body = body }

  package override var dependencies: [Operation] {
    // The check before a run asks as well, when no attempt has begun.
    if attempt != nil { isNoticed.fire() }
    return super.dependencies
  }

  package override func mainLogic() { body(self) }
}
