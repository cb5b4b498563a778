import OperationFlow

extension FlowKey where Value == String {
  static var text: Self { "text" }
}
extension FlowKey where Value == Int {
  static var wordCount: Self { "wordCount" }
}

final class CountWordsOp: FlowOperation, @unchecked Sendable {
  @FlowInput(.text) var text
  @FlowOutput(.wordCount) var wordCount

  override func run() async throws {
    let count = text.split(separator: " ").count
    log(message: "counted \(count) words")
    wordCount = count
  }
}

enum GettingStarted {
  static func flow() -> Flow {
    let flow = Flow("Count")
      .set(.text, to: "to be or not to be")
      .add(CountWordsOp())
      .add("report", .reads(.wordCount), .writesNothing) { context in
        let count = try context.require(.wordCount)
        context.log("\(count) words")
      }
    return flow
  }

  static func run(_ flow: Flow, print: Printer) async {
    switch await flow.run() {
    case .succeeded(let report): print(report.summary)
    case .failed(let error, let report): print(error, report.summary)
    case .cancelled(let report): print(report.summary)
    }
  }

  static func runForSuccess(_ flow: Flow, print: Printer) async throws {
    let report = try await flow.run { $0[.text] = "a rose is a rose" }.get()
    print(report[.wordCount] ?? 0)
  }

  static func start(_ flow: Flow, print: Printer) {
    flow
      .setDidFinishBlock { flow in print(flow.isSuccess) }
      .start()
  }

  final class LoadTextOp: FlowOperation, @unchecked Sendable {
    override func mainLogic() {
      guard let name: String = getData(name: "name") else { return }
      startWithAsynchronous()
      library.load(name) { text, error in
        if let error { return self.finishWithError(error: error) }
        self.setData(name: .text, value: text)
        self.finishSuccessfully()
      }
    }
  }
}
