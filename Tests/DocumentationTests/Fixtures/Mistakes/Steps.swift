// Calls that an overload catches which is unavailable.

func closures(_ flow: Flow) {
  flow.add { context in context.log("x") }  // error: A closure step needs a name
  flow.add { context in await Task.yield() }  // error: A closure step needs a name
  flow.add("greet")  // error: A name alone is no step
}

func operations(_ flow: Flow) {
  flow.add(LoginOp.self)  // error: Write the expression that makes the operation: add(LoginOp()).
  // error: Write the expression that makes the operation, without the label
  flow.add(operation: LoginOp.self)
  flow.add(flow)  // error: Write the label: add(flow: prepare).
}

struct Job: Sendable {}

func cases(_ flow: Flow) {
  flow.cases(on: .count) { $0.when("1") { $0.add(LoginOp()) } }  // error: Cases compare values
  flow.cases(on: FlowKey<Job>("job")) { $0.otherwise { $0.add(LoginOp()) } }  // error: Cases compare values
}

func groups(_ flow: Flow, _ numbers: [Int]) {
  flow.forEach(.email) { item, context in print(item) }  // error: forEach needs a key of an array
  flow.forEach(numbers) { number, context in print(number) }  // error: Write the label before a sequence
  flow.forEach(.photos, run: UploadOp.self)  // error: Say where the outputs go
}

func orderOfParameters(_ flow: Flow) {
  let retry = FlowRetryPolicy.attempts(2)
  // error: Write the traits after width:
  flow.forEach(.photos, into: .links, .retry(retry), width: 3) { photo, context in photo }
  // error: Write the traits after width:
  flow.forEach(.photos, .retry(retry), tolerating: .all) { photo, context in print(photo) }
  // error: Write the traits last
  flow.forEach(.photos, into: .links, .retry(retry), width: 3, run: UploadOp.self)
}

func nothingAdded(_ flow: Flow) {
  flow.always { print("cleanup") }  // error: The closure adds steps to $0: always {
  flow.always { try await Task.sleep(for: .zero) }  // error: The closure adds steps to $0: always {
  flow.parallel { $0.branch("a") { print("work") } }  // error: The closure adds steps to $0: branch("scan") {
  // error: The closure adds steps to $0: when("web") {
  flow.cases(on: .target) { $0.when("a") { print("work") } }
  // error: The closure adds steps to $0: otherwise {
  flow.cases(on: .target) { $0.otherwise { print("work") } }
}
