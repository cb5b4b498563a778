import OperationFlow
import TestSupport
import Testing

extension FlowKey where Value == [Int] {
  static var published: Self { "published" }
}

struct Refused: Error {}

extension FlowOperation {
  /// Starts the operation outside any flow, and waits for its end.
  func runAlone() async {
    await withCheckedContinuation { continuation in
      completionBlock = { continuation.resume() }
      start()
    }
  }
}

func publishing(with upload: @escaping @Sendable (String) async throws -> Int) -> Flow {
  Flow("Publish")
    .forEach(.pages, into: .published, tolerating: .failures(1)) { page, _ in try await upload(page) }
    .add("notify") { context in context.log("\(context[.published]?.count ?? 0) published") }
}

@Suite(.watched) struct TestingTests {
  @Test func `words are counted`() async {
    let operation = CountWordsOp()
    operation.setData(name: .text, value: "to be or not to be")
    await operation.runAlone()
    #expect(operation.getData(name: .wordCount) == 6)
  }

  @Test func `without a text it fails`() async {
    let operation = CountWordsOp()
    await operation.runAlone()
    guard case .finished(.withInsufficientInputData(let problem)) = operation.state else {
      Issue.record("It ended otherwise: \(operation.state)")
      return
    }
    #expect(problem == "can't find <text> in data bucket")
  }

  @Test func `it says how many words there are`() async {
    let outcome = await Flow().add(CountWordsOp()).run(with: ["text": "to be"])
    #expect(outcome.report[.wordCount] == 2)
    #expect(outcome.report.events.contains { $0.kind == .logged("counted 2 words", .info) })
  }

  @Test func `a page that fails is left out`() async throws {
    let flow = publishing { page in
      if page == "b" { throw Refused() }
      return page.count
    }
    let report = try await flow.run(with: ["pages": ["a", "b", "cc"]]).get()
    #expect(report[.published] == [1, 2])
    #expect(report.itemFailures.map(\.index) == [1])
    #expect(report.itemFailures.first?.error is Refused)
    #expect(report.summary.contains("[notify] 2 published"))
    let starts = report.events.filter { $0.kind == .started }.map(\.source.description)
    #expect(starts.contains("[pages #1]") && starts.last == "[notify]")
  }

  @Test func `every input is written before it is read`() {
    let flow = Flow().set(.text, to: "any").add(CountWordsOp())
    #expect(flow.validate().isEmpty)
  }

  @Test func `a flow without a text is refused`() {
    let problems = Flow().add(CountWordsOp()).validate()
    #expect(problems.map(\.code) == [.missingData])
    #expect(problems.first?.key == "text" && problems.first?.path == "1. CountWordsOp")
  }

  // MARK: What else the article says

  @Test func `an operation that finishes in its main logic has ended when it was started`() {
    let operation = Groups.LengthOp()
    operation.setData(name: "word", value: "four")
    operation.start()
    #expect(operation.isFinished && operation.length == 4 && operation.getData(name: "length") == 4)
  }

  @Test func `an operation in a flow does not see what was set on it before`() async {
    let operation = CountWordsOp()
    operation.setData(name: .text, value: "to be")
    let outcome = await Flow().add("any") { _ in }.add(operation: operation).run()
    #expect((outcome.error as? FlowError)?.code == .missingData)
  }

  @Test func `reading a required input before the start stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = CountWordsOp().text }
  }
}
