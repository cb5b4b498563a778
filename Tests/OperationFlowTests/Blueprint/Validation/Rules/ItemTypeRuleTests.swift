import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct ItemTypeRuleTests {
  private final class SquareOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
    static func create() -> FlowOperation { SquareOp() }
    @FlowInput var side: Int
    @FlowInput var token: String
    @FlowOutput var area: Int?
    override func mainLogic() {
      area = side * side
      finishSuccessfully()
    }
  }

  private func flow<Item: Sendable, Output: Sendable>(
    _ items: [Item], _ output: FlowKey<[Output]>, token: String? = "t", tolerating tolerance: FlowTolerance = .none
  ) -> Flow {
    Flow().set("items", to: items).set("token", to: token)
      .forEach("items" as FlowKey<[Item]>, into: output, tolerating: tolerance, run: SquareOp.self)
  }

  @Test func `a group whose types fit is fine, and runs`() async {
    #expect(flow([2, 3], "areas" as FlowKey<[Int]>).validate().isEmpty)
    #expect(await flow([2, 3], "areas" as FlowKey<[Int]>).run().report["areas" as FlowKey<[Int]>] == [4, 9])
  }

  @Test func `items of another type than the operation reads are an error`() {
    let problems = flow(["2"], "areas" as FlowKey<[Int]>).validate()
    #expect(problems.map(\.code) == [.mismatchedData] && problems.map(\.severity) == [.error])
    #expect(problems.first?.problem == "SquareOp reads its item <side> as <Int>, and is given a <String>.")
  }

  @Test func `outputs of another type than are collected are an error`() {
    let problems = flow([2], "areas" as FlowKey<[String]>).validate()
    #expect(problems.first?.problem == "SquareOp writes a <Int> under <area>, where <String> is collected.")
  }

  @Test func `what an item reads beside its item must be there`() {
    let problems = flow([2], "areas" as FlowKey<[Int]>, token: nil).validate()
    #expect(problems.map(\.key) == ["token"] && problems.map(\.code) == [.missingData])
  }

  @Test func `if failures are tolerated, nothing is said`() async {
    let flow = flow(["2"], "areas" as FlowKey<[String]>, token: nil, tolerating: .all)
    #expect(flow.validate().isEmpty)
    #expect(await flow.run().isSuccess)
  }

  @Test func `a creator that makes something else now and then poisons nothing`() async {
    let isMock = Locked(true)
    MockableOp.isMock.withLock { $0 = isMock.withLock { $0 } }
    #expect(await Flow().set("file", to: "f").add(MockableOp.self).run().isSuccess)
    MockableOp.isMock.withLock { $0 = false }
    let outcome = await Flow().set("file", to: "f").add(MockableOp.self).run()
    #expect(outcome.report["url"] == "url of f")
  }
}

private final class MockableOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static let isMock = Locked(false)
  static func create() -> FlowOperation { isMock.withLock { $0 } ? SuccessOp() : MockableOp() }
  @FlowInput var file: String
  @FlowOutput var url: String?
  override func mainLogic() {
    url = "url of \(file)"
    finishSuccessfully()
  }
}
