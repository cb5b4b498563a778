@testable import OperationFlow

/// Tells when its run has asked whether it is ready, and it was not.
final class NoticedOp: FlowOperation, @unchecked Sendable {
  let isNoticed = Signal()
  private let body: @Sendable (NoticedOp) -> Void

  init(_ body: @escaping @Sendable (NoticedOp) -> Void = { $0.finishSuccessfully() }) { self.body = body }

  override var isReady: Bool {
    let isReady = super.isReady
    if !isReady, withLifecycle({ $0.attachment != nil }) { isNoticed.fire() }
    return isReady
  }

  override func mainLogic() { body(self) }
}
