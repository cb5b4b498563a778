import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct GettingStartedTests {
  @Test func `the run prints the summary that the article shows`() async throws {
    let print = Printer()
    await GettingStarted.run(GettingStarted.flow(), print: print)
    let article = try SourceTree.text(of: "Sources/OperationFlow/OperationFlow.docc/GettingStarted.md")
    #expect(article.withoutTimes.contains("\n" + print.texts.joined().withoutTimes))
  }

  @Test func `a flow of factories runs again with other data`() async throws {
    let print = Printer()
    try await GettingStarted.runForSuccess(GettingStarted.flow(), print: print)
    #expect(print.texts == ["5"])
  }

  @Test func `the block is called at the end`() async {
    let print = Printer()
    GettingStarted.start(GettingStarted.flow(), print: print)
    #expect(await print.first() == "true")
  }

  @Test func `an operation ends in its callback`() async throws {
    let flow = Flow().add(GettingStarted.LoadTextOp()).add(CountWordsOp())
    #expect(try await flow.run(with: ["name": "sonnet"]).get()[.wordCount] == 2)
    let missing = await flow.run()
    #expect((missing.error as? FlowError)?.code == .missingData)
    #expect(missing.report.stepCount == 1)
    #expect(await flow.run(with: ["name": "lost"]).error is MissingText)
  }
}
