// Traits of steps that can't have them.

func againAndAgain(_ flow: Flow) {
  // error: An operation object runs only once. Write add(LoginOp(), .retry(
  flow.add(operation: LoginOp(), .retry(.attempts(3)))
  flow.add(flow: flow, .retry(.attempts(3)))  // error: give .retry to the steps in it
  flow.add(flow: flow, .timeout(.seconds(3)))  // error: or the flow a deadline
  // error: give .limited(by:) to the steps in it
  flow.parallel("both", .limited(by: FlowLimiter(atMost: 1))) { _ in }
  flow.parallel("both", .undo { _ in }) { _ in }  // error: give .undo to the steps in it
}

/// Names in place of keys, which have the types of their values.
func keysWithoutTypes(_ flow: Flow) {
  flow.add("x", .reads("usr")) { context in }  // error: A key has its value's type: .reads(.user)
  flow.add("x", .writes("link", "other")) { context in }  // error: A key has its value's type: .writes(.user)
}

/// Traits of groups, which know the type of their results.
func results(_ flow: Flow) {
  let key: FlowKey<[FlowItemResult<Int>]> = "r"
  flow.add("x", .results(in: key)) { context in }  // error: give .results(in:) to forEach
  flow.add(operation: LoginOp(), .results(in: key))  // error: give .results(in:) to forEach
  // error: give .onEachResult to forEach
  flow.add("x", .onEachResult { (result: FlowItemResult<Int>, _, _) in }) { context in }
  flow.forEach(.photos, into: .links, .results(in: key)) { photo, context in photo }  // error: URL
}
