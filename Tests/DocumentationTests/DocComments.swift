import OperationFlow

/// The code of the documentation comments in `Sources`.
enum DocComments {
  enum AnOperation {
    final class LoginOp: FlowOperation, @unchecked Sendable {
      override func mainLogic() {
        guard let email: String = getData(name: "email") else { return }
        log(message: "logged in as \(email)")
        finishSuccessfully()
      }
    }
  }

  final class LoadProfileOp: FlowOperation, @unchecked Sendable {
    override func mainLogic() { finishSuccessfully() }
  }

  final class ResizeOp: FlowOperation, @unchecked Sendable {
    override func mainLogic() { finishSuccessfully() }
  }

  final class WatermarkOp: FlowOperation, @unchecked Sendable {
    override func mainLogic() { finishSuccessfully() }
  }

  static func aFlow() {
    Flow("Publish")
      .setDataBucket(dataBucket: ["email": "test@gmail.com", "password": "123456"])
      .add(LoginOp())
      .add(LoadProfileOp())
      .setDidFinishBlock { flow in print(flow.generateSummary()) }
      .start()
  }

  static func cases(of flow: Flow) {
    flow.cases(on: .target) {
      $0.when("web") { $0.add(ResizeOp()).add(WatermarkOp()) }
      $0.otherwise { $0.add(ResizeOp()) }
    }
  }

  final class Inputs: FlowOperation, @unchecked Sendable {
    @FlowInput(.email) var email  // a String, as the key says
    @FlowInput var attempts: Int = 3  // named by the property, with a default
    @FlowInput var nickname: String?  // nil where it is missing
  }

  final class Outputs: FlowOperation, @unchecked Sendable {
    @FlowOutput(.token) var token  // a String?, nil until it is assigned
    @FlowOutput var count: Int?  // named by the property
  }
}
