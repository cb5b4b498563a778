@testable import OperationFlow

/// A group's item that says itself what is to be done with it.
struct Work: Sendable, CustomStringConvertible {
  var name = "work"
  let body: @Sendable (WorkOp) -> Void
  var description: String { name }
}

/// Does what its item says.
final class WorkOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { WorkOp() }
  override var primaryInputParamKey: String { "work" }
  override var primaryOutputParamKey: String { "output" }

  override func mainLogic() {
    guard let work: Work = getData(name: "work") else { return }
    work.body(self)
  }
}

/// Leaves its item doubled.
final class DoubleOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { DoubleOp() }
  override var primaryInputParamKey: String { "item" }
  override var primaryOutputParamKey: String { "output" }

  override func mainLogic() {
    guard let item: Int = getData(name: "item") else { return }
    setData(name: "output", value: item * 2)
    finishSuccessfully()
  }
}

extension Flow {
  /// A flow whose one step is a group that does the work.
  static func group(
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
  func step(_ name: String? = nil, _ body: @escaping @Sendable (BlockOp) -> Void = { $0.finishSuccessfully() }) -> Flow
  {
    add(BlockOp(name, body))
  }
}
