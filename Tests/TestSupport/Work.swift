import OperationFlow

/// An item of a group that contains the work to be done for it.
package struct Work: Sendable, CustomStringConvertible {
  package let name: String
  package let body: @Sendable (WorkOp) -> Void
  package var description: String { name }

  package init(name: String = "work", body: @escaping @Sendable (WorkOp) -> Void) {
    (self.name, self.body) = (name, body)
  }
}

/// Does the work of its item.
package final class WorkOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  package static func create() -> FlowOperation { WorkOp() }
  package override var primaryInputParamKey: String { "work" }
  package override var primaryOutputParamKey: String { "output" }

  package override func mainLogic() {
    guard let work: Work = getData(name: "work") else { return }
    work.body(self)
  }
}

/// Outputs twice its item.
package final class DoubleOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  package static func create() -> FlowOperation { DoubleOp() }
  package override var primaryInputParamKey: String { "item" }
  package override var primaryOutputParamKey: String { "output" }

  package override func mainLogic() {
    guard let item: Int = getData(name: "item") else { return }
    setData(name: "output", value: item * 2)
    finishSuccessfully()
  }
}

extension Flow {
  /// Creates a flow whose only step is a group that does `work`.
  package static func group(
    _ work: [Work], width: Int = 3, allowFailure: Bool = false, name: String = "Flow"
  ) -> Flow {
    Flow(name)
      .setDataBucket(dataBucket: ["works": work])
      .addGrouped(
        operationCreator: WorkOp.self,
        dispatcher: FlowArrayGroupDispatcher(
          inputKey: "works", outputKey: "outputs", maxConcurrentOperationCount: width, allowFailure: allowFailure))
  }

  /// Adds a step that is a closure.
  @discardableResult
  package func step(_ name: String? = nil, _ body: @escaping @Sendable (BlockOp) -> Void = { $0.finishSuccessfully() })
    -> Flow
  {
    add(BlockOp(name, body))
  }
}
