import Foundation
import OperationFlow

private struct WrongPassword: Error {}

/// Logs a line and finishes.
private final class PrintOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  private let message: String
  init(message: String) { self.message = message }
  static func create() -> FlowOperation { PrintOp(message: "made by the group") }

  override func mainLogic() {
    log(message: message)
    finishSuccessfully()
  }
}

/// Finishes in a callback, and uses values of the data bucket by their names.
private final class LoginOp: FlowOperation, @unchecked Sendable {
  override func mainLogic() {
    // If a value is missing or has another type, `getData` fails the operation before it returns nil.
    guard let email: String = getData(name: "email"), let password: String = getData(name: "password") else { return }
    startWithAsynchronous()
    DispatchQueue.global().async {
      guard email.contains("@"), password == "123456" else { return self.finishWithError(error: WrongPassword()) }
      self.setData(name: "accessToken", value: "sdaftadagasg")
      self.finishSuccessfully()
    }
  }
}

/// Runs flows in the style of Flow-iOS, whose code compiles with `import Flow_iOS`.
enum FlowiOSStyle {
  static func main() async throws {
    let images = FlowArrayGroupDispatcher(
      inputKey: "images", outputKey: "links", maxConcurrentOperationCount: 1, allowFailure: false)
    let logins: [[String: any Sendable]] = [
      ["email": "ann@example.org", "password": "123456"], ["email_address": "ann@example.org", "password": "123456"],
      ["email": "ann@example.org", "password": 123_456], ["email": "ann@example.org", "password": "654321"],
    ]
    for data in logins {
      await withCheckedContinuation { continuation in
        Flow()
          .setDataBucket(dataBucket: data.merging(["target": "B", "images": ["a", "b"]]) { $1 })
          .markSensitive("password", "accessToken")  // not from Flow-iOS, which printed these values in full
          .add(operation: LoginOp())
          // A case begins a branch. The steps after it belong to the branch, up to the next case or to combine().
          .add(operation: PrintOp(message: "step 2 A"), flowCase: FlowCase(key: "target", value: "A"))
          .add(operation: PrintOp(message: "step 2 B"), flowCase: FlowCase(key: "target", value: "B"))
          .combine()
          .addGrouped(operationCreator: PrintOp.self, dispatcher: images)
          .setDidFinishBlock { flow in
            print(flow.error.map { "failed: \($0)" } ?? flow.generateSummary())
            continuation.resume()
          }
          .start()
      }
    }
  }
}
