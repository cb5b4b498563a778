import OperationFlow

extension Example {
  /// Branches that are chosen by a string in the data bucket.
  static let casesOldStyle = Example(name: "cases, old style") { output, finish in
    Flow()
      .setDataBucket(dataBucket: ["target": "B"])
      .add(operation: PrintOp(message: "step 1"))
      // A case begins a branch; what follows belongs to it, up to the next case or to combine().
      .add(operation: PrintOp(message: "step 2 A1"), flowCase: FlowCase(key: "target", value: "A"))
      .add(operation: PrintOp(message: "step 2 A2"))
      .add(operation: PrintOp(message: "step 2 B1"), flowCase: FlowCase(key: "target", value: "B"))
      .add(operation: PrintOp(message: "step 2 B2"))
      .combine()
      .add(operation: PrintOp(message: "step 3"))
      .setDidFinishBlock { flow in
        let summary = flow.generateSummary()
        output.show(flow)
        finish {
          try expect(flow.isSuccess, "the flow succeeds")
          try expect(summary.contains(/(?s)step 1.*step 2 B1.*step 2 B2.*step 3/), "branch B is taken")
          try expect(!summary.contains("step 2 A"), "branch A is not")
        }
      }
      .start()
  }
}
