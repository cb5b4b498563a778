import Foundation
import OperationFlow

extension FlowKey where Value == String {
  static var email: Self { "email" }
  static var token: Self { FlowKey("token", sensitive: true) }
}
extension FlowKey where Value == [URL] {
  static var photos: Self { "photos" }
  static var links: Self { "links" }
}

final class LoginOp: FlowOperation, @unchecked Sendable {
  @FlowInput(.email) var email
  @FlowOutput(.token) var token

  override func run() async throws {
    token = try await api.login(email)
    log(message: "logged in as \(email)")
  }
}

enum Readme {
  static func publish(_ photos: [URL], with api: API, print: Printer) async -> FlowOutcome {
    let outcome = await Flow("Publish")
      .set(.email, to: "a@b.c").set(.photos, to: photos)
      .add(LoginOp())
      .forEach(.photos, into: .links, width: 3, tolerating: .failures(2)) { photo, context in
        try await api.upload(photo, token: context.require(.token))
      }
      .add("notify", .reads(.links), .writesNothing) { context in
        try context.log("\(context.require(.links).count) links")
      }
      .run()

    print(outcome.report.summary)
    return outcome
  }
}

final class PrintOp: FlowOperation, @unchecked Sendable {
  private let message: String

  init(message: String) { self.message = message }

  override func mainLogic() {
    log(message: message)
    finishSuccessfully()
  }
}

final class UploadOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { UploadOp() }
  override var primaryInputParamKey: String { "image" }
  override var primaryOutputParamKey: String { "imageURL" }

  override func mainLogic() {
    guard let image: String = getData(name: "image") else { return }
    setData(name: "imageURL", value: "https://images/" + image)
    finishSuccessfully()
  }
}

func printAndUpload(print: Printer) {
  Flow()
    .setDataBucket(dataBucket: ["images": ["a", "b", "c"], "target": "A"])
    .add(operation: PrintOp(message: "hello"), flowCase: FlowCase(key: "target", value: "A"))
    .add(operation: PrintOp(message: "world"), flowCase: FlowCase(key: "target", value: "B"))
    .combine()
    .addGrouped(
      operationCreator: UploadOp.self,
      dispatcher: FlowArrayGroupDispatcher(
        inputKey: "images", outputKey: "imageURLs", maxConcurrentOperationCount: 3, allowFailure: true)
    )
    .setDidFinishBlock { flow in print(flow.generateSummary()) }
    .start()
}
