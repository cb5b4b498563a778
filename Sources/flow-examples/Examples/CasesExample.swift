import OperationFlow

extension FlowKey where Value == String {
  static var target: Self { "target" }
}

extension Example {
  /// Branches that are chosen by a string in the data bucket, in Flow-iOS's style.
  static let cases = Example(name: "cases") {
    let flow = Flow()
      .setDataBucket(dataBucket: ["target": "B"])
      .add(operation: PrintOp(message: "step 1"))
      // A case begins a branch; what follows belongs to it, up to the next case or to combine().
      .add(operation: PrintOp(message: "step 2 A1"), flowCase: FlowCase(key: "target", value: "A"))
      .add(operation: PrintOp(message: "step 2 A2"))
      .add(operation: PrintOp(message: "step 2 B1"), flowCase: FlowCase(key: "target", value: "B"))
      .add(operation: PrintOp(message: "step 2 B2"))
      .combine()
      .add(operation: PrintOp(message: "step 3"))
    let outcome = await flow.run()

    print(flow.generateSummary())
    try expect(flow.isSuccess, "the flow succeeds")
    try expect(outcome.report.loggedLines == ["step 1", "step 2 B1", "step 2 B2", "step 3"], "branch B is taken")
  }

  /// The branch for no match, in the typed style: a flow without one ends there, as a success.
  static let otherwise = Example(name: "cases: otherwise") {
    let outcome = await Flow("Otherwise")
      .setData(name: .target, value: "C")
      .add(PrintOp(message: "branch A"), flowCase: FlowCase(key: .target, value: "A"))
      .add(PrintOp(message: "neither"), flowCase: .otherwise)
      .combine()
      .add(PrintOp(message: "the end"))
      .run()

    print(outcome.report.summary)
    try expect(outcome.isSuccess, "the flow succeeds")
    try expect(outcome.report.loggedLines == ["neither", "the end"], "the branch for no match is taken")
  }
}
