// Calls of what a module adds that isn't imported.

func waits(_ flow: Flow, _ approved: String) async {
  flow.wait(for: approved)  // error: import OperationFlowDurable
  flow.wait(for: approved, timeout: .seconds(5), named: "a", .weight(2))  // error: import OperationFlowDurable
  flow.wait(for: approved, continuingAfter: .zero, .when { $0.contains("x") })  // error: import OperationFlowDurable
  flow.wait(.seconds(5))  // error: import OperationFlowDurable
  flow.wait(.seconds(5), named: "a while").add(LoginOp())  // error: import OperationFlowDurable
  flow.wait(until: Date.now)  // error: import OperationFlowDurable
  _ = await flow.run(id: "order-17", in: approved)  // error: import OperationFlowDurable
}
