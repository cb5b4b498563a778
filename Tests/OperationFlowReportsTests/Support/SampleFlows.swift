import OperationFlow
import TestSupport

/// The flows that the tests draw and write: every kind of step, with names that the caller can change.
struct SampleFlows {
  /// Makes every name from the usual one.
  ///
  /// The default returns it unchanged.
  var naming: @Sendable (String) -> String = { $0 }

  /// A flow with every kind of step.
  ///
  /// All succeed, one of them in its second attempt.
  var everyKind: Flow {
    let name = naming
    let target = FlowKey<String>(name("target"))
    let numbers = FlowKey<[Int]>(name("numbers"))
    return Flow(name("Publish"))
      .setData(name: target.name, value: name("web")).setData(name: numbers.name, value: [1, 2, 3, 4])
      .add(name("fetch"), .undo { _ in }) { context in
        context.log(name("a line"))
        context.log(name("an odd line"), level: .warning)
        context[FlowKey<Int>(name("count"))] = 4
      }
      .add(SampleOp(), .named(name("operate")))
      .add(name("skipped"), .when { _ in false }) { _ in }
      .cases(on: target) {
        $0.when(name("web")) { flow in
          flow.add(name("render")) { _ in }
          flow.cases(on: target) {
            $0.when(name("film")) { $0.add(name("cut")) { _ in } }.otherwise { $0.addNothing() }
          }
        }
        $0.when(name("film")) { $0.add(name("encode"), .undo { _ in }) { _ in } }
        $0.otherwise { $0.add(name("complain")) { _ in } }
      }
      .forEach(numbers, into: FlowKey<[Int]>(name("squares")), width: 2, .named(name("square")), .retry(.attempts(2))) {
        number, context in
        if number == 2, context.attempt == 1 { throw TestError(name: name("busy")) }
        return number * number
      }
      .parallel(name("both")) {
        $0.branch(name("left")) { $0.add(name("one")) { _ in } }
        $0.branch(name("right")) { flow in
          flow.add(name("two"), .retry(.attempts(2))) { context in
            if context.attempt == 1 { throw TestError(name: name("not yet")) }
          }
        }
      }
      .add(flow: Flow(name("inner")).add(name("deep")) { _ in })
      .always(name("Clean up")) { $0.add(name("close")) { _ in } }
  }

  /// A flow that fails in a group after a step that is undone, and has steps that never run.
  var failing: Flow {
    let name = naming
    return Flow(name("Failing"))
      .add(name("reserve"), .undo { _ in }) { _ in }
      .forEach(in: 0..<6, width: 2, tolerating: .failures(1), .named(name("send"))) { index, _ in
        if index > 2 { throw TestError(name: name("refused")) }
      }
      .add(name("confirm")) { _ in }
      .always(name("Clean up")) { $0.add(name("close")) { _ in } }
  }

  /// A flow with cases in the old style and without `combine()`: the following steps belong to the last branch.
  var openCases: Flow {
    let name = naming
    return Flow(name("Open"))
      .setData(name: name("target"), value: name("web"))
      .add(operation: BlockOp(name("web")), flowCase: FlowCase(key: name("target"), value: name("web")))
      .add(operation: BlockOp(name("film")), flowCase: FlowCase(key: name("target"), value: name("film")))
      .add(name("after")) { _ in }
  }

  /// Returns a group of `count` items, of which every tenth fails.
  func items(_ count: Int) -> Flow {
    let name = naming
    return Flow(name("Many"))
      .forEach(in: 0..<count, width: 8, tolerating: .all, .named(name("item"))) { index, _ in
        if index % 10 == 9 { throw TestError(name: name("odd")) }
      }
  }
}

/// Does nothing.
final class SampleOp: FlowOperation, @unchecked Sendable {
  // Invariant: it has no state of its own.
  override func mainLogic() { finishSuccessfully() }
}
