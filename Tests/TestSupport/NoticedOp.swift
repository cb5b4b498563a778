import Foundation
import OperationFlow

/// Signals that its run found it not ready, and reads its dependencies.
package final class NoticedOp: FlowOperation, @unchecked Sendable {
  package let isNoticed = Signal()
  private let body: @Sendable (NoticedOp) -> Void

  package init(_ body: @escaping @Sendable (NoticedOp) -> Void = { $0.finishSuccessfully() }) { self.body = body }

  package override var dependencies: [Operation] {
    // The check before a run reads the dependencies too, before any attempt begins.
    if attempt != nil { isNoticed.fire() }
    return super.dependencies
  }

  package override func mainLogic() { body(self) }
}
