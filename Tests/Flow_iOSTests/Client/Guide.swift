// The code of the guide for Flow-iOS's users, word for word.
import Flow_iOS

class GreetOp: FlowOperation, @unchecked Sendable {
  override func mainLogic() {
    guard let name: String = getData(name: "name") else { return }
    DispatchQueue.global().async {
      self.setData(name: "greeting", value: "hello " + name)
      self.finishSuccessfully()
    }
    startWithAsynchronous()
  }
}

func greet(data: [String: Any], then: @escaping FlowDidFinishBlock) {
  Flow()
    .setDataBucket(dataBucket: data)
    .add(operation: GreetOp())
    .setDidFinishBlock(block: then)
    .start()
}

func mixedArray() -> Flow {
  Flow().setDataBucket(dataBucket: ["images": ["a", "b", 1]])
}

extension FlowKey where Value == String {
  static var name: Self { "name" }
  static var greeting: Self { "greeting" }
}

final class WelcomeOp: FlowOperation, @unchecked Sendable {
  @FlowInput(.greeting) var greeting
  @FlowInput var mark: String = "!"

  override func run() async throws {
    log(message: greeting + mark)
  }
}

func welcome(_ name: String) async -> FlowOutcome {
  await Flow("Welcome")
    .set(.name, to: name)
    .add(operation: GreetOp())
    .add(WelcomeOp())
    .run()
}
