import Foundation
import OperationFlow

/// The smallest operation: it logs a line and finishes.
private final class PrintOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  private let message: String

  init(message: String) { self.message = message }

  static func create() -> FlowOperation { PrintOp(message: "made by the group") }

  override func mainLogic() {
    log(message: message)
    finishSuccessfully()
  }
}

private struct WrongPassword: Error, CustomStringConvertible {
  var description: String { "The password is another one. Type it again." }
}

/// An operation that finishes in a callback, and uses values of the data bucket by their names.
private final class LoginOp: FlowOperation, @unchecked Sendable {
  override func mainLogic() {
    // If a value is missing or has another type, `getData` fails the operation before it returns nil.
    guard let email: String = getData(name: "email"), let password: String = getData(name: "password") else { return }
    startWithAsynchronous()
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) {
      self.log(message: "the server has answered for \(email)")
      guard password == "123456" else { return self.finishWithError(error: WrongPassword()) }
      self.setData(name: "accessToken", value: "sdaftadagasg")
      self.finishSuccessfully()
    }
  }
}

/// Runs flows in the style of Flow-iOS: objects, a bucket of names, and blocks on the main thread at the end.
///
/// It is the same library, and you can mix the two styles. Code that uses Flow-iOS compiles with `import Flow_iOS`.
func flowiOSStyle() async throws {
  let logins: [[String: any Sendable]] = [
    ["email": "ann@example.org", "password": "123456"], ["email_address": "ann@example.org", "password": "123456"],
    ["email": "ann@example.org", "password": 123_456], ["email": "ann@example.org", "password": "654321"],
  ]
  for data in logins {
    await withCheckedContinuation { continuation in
      Flow()
        .setDataBucket(dataBucket: data)
        // Only this line isn't from Flow-iOS, which printed these values in full.
        .markSensitive("password", "accessToken")
        .add(operation: LoginOp())
        .setDidFinishBlock { flow in
          if Options.isVerbose { print(flow.generateSummary(), terminator: "") }
          print("login: \(flow.error.map { "\($0)" } ?? "isSuccess: \(flow.isSuccess)")")
          continuation.resume()
        }
        .start()
    }
  }

  await withCheckedContinuation { continuation in
    Flow()
      .setDataBucket(dataBucket: ["target": "B", "images": ["a", "b"]])
      .add(operation: PrintOp(message: "step 1"))
      // A case begins a branch. The steps after it belong to the branch, up to the next case or to combine().
      .add(operation: PrintOp(message: "step 2 A"), flowCase: FlowCase(key: "target", value: "A"))
      .add(operation: PrintOp(message: "step 2 B"), flowCase: FlowCase(key: "target", value: "B"))
      .combine()
      .addGrouped(
        operationCreator: PrintOp.self,
        dispatcher: FlowArrayGroupDispatcher(
          inputKey: "images", outputKey: "links", maxConcurrentOperationCount: 1, allowFailure: false)
      )
      .setDidFinishBlock { flow in
        if Options.isVerbose { print(flow.generateSummary(), terminator: "") }
        let lines = flow.generateSummary().matches(of: /\] ((?:step|made) .*)/).map { String($0.1) }
        print("steps: \(lines.joined(separator: ", "))")
        continuation.resume()
      }
      .start()
  }
}
