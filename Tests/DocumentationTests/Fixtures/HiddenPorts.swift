// Operations with and without declared inputs and outputs, and how their flows end.

import OperationFlow

final class EmailOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { EmailOp() }
  @FlowInput("email") var email: String
  override func run() async throws { log(message: email) }
}
final class TokenOp: FlowOperation, @unchecked Sendable {
  @FlowOutput("token") var token: String?
  override func run() async throws { token = "secret" }
}
/// Properties that are no inputs or outputs do no harm.
final class PlainOp: FlowOperation, @unchecked Sendable {
  let number = 1
  override func run() async throws { setData(name: "number", value: number) }
}

@main struct Program {
  static func main() async {
    let flows: [(String, Flow)] = [
      ("input", Flow().add(EmailOp())),
      ("object", Flow().add(operation: EmailOp())),
      ("output", Flow().add(TokenOp())),
      ("group", Flow().forEach(in: ["a"], into: "out" as FlowKey<[String]>, run: EmailOp.self)),
      ("made late", Flow().add({ () -> FlowOperation in TokenOp() }())),
      ("plain", Flow().add(PlainOp())),
    ]
    for (name, flow) in flows {
      let outcome = await flow.run(with: ["email": "a@b.c"])
      let error = outcome.error as? FlowError
      print(name + ":", error.map { "\($0.code): \($0.remedy)" } ?? "\(outcome.isSuccess)")
    }
    await printAlone()
  }

  static func printAlone() async {
    let alone = EmailOp()
    await withCheckedContinuation { continuation in
      alone.completionBlock = { continuation.resume() }
      alone.start()
    }
    print("alone:", alone.state)
  }
}
