import OperationFlow
import TestSupport
import Testing

/// Options of a whole run that are set in a part of a flow.
@Suite(.watched) struct IgnoredOptionRuleTests {
  private struct Option: CustomStringConvertible {
    let description: String
    let give: @Sendable (Flow) -> Flow

    init(_ description: String, _ give: @escaping @Sendable (Flow) -> Flow) {
      (self.description, self.give) = (description, give)
    }
  }

  private static let options = [
    Option("deadline(_:)") { $0.deadline(.seconds(1)) },
    Option("quietWarning(after:)") { $0.quietWarning(after: .seconds(1)) },
    Option("retryBudget(_:)") { $0.retryBudget(.retries(1)) },
    Option("randomSeed(_:)") { $0.randomSeed(1) },
    Option("clock(_:)") { $0.clock(SuspendingClock()) },
    Option("recording(_:)") { $0.recording(.none) },
    Option("redaction(_:)") { $0.redaction(.none) },
    Option("observe(_:)") { $0.observe { _ in } },
    Option("observe(_:)") { $0.sendLog(to: .closure { _ in }) },
    Option("setWillStartBlock(block:)") { $0.setWillStartBlock { _ in } },
    Option("setDidFinishBlock(block:)") { $0.setDidFinishBlock { _ in } },
    Option("log(message:level:)") { flow in
      flow.log(message: "a line")
      return flow
    },
  ]
  private static let data = Option("set(_:to:)") { $0.set(FlowKey<Int>("count"), to: 1) }

  private static let places: [@Sendable (Option) -> Flow] = [
    { option in
      Flow().set(.mode, to: "a").cases(on: .mode) { $0.when("a") { steps($0, option) }.otherwise { steps($0) } }
    },
    { option in
      Flow().set(.mode, to: "a").cases(on: .mode) { $0.when("a") { steps($0) }.otherwise { steps($0, option) } }
    },
    { option in Flow().parallel { $0.branch("left") { steps($0, option) } } },
    { option in Flow().add("x", .writesNothing) { _ in }.always { steps($0, option) } },
    { option in Flow().add(flow: Flow("inner").parallel { $0.branch("left") { steps($0, option) } }) },
  ]

  @Sendable private static func steps(_ flow: Flow, _ option: Option? = nil) {
    _ = option?.give(flow)
    flow.add("y", .writesNothing) { _ in }
  }

  @Test(arguments: options + [data]) private func `one that is given to a branch is an error`(option: Option) async {
    for (index, place) in Self.places.enumerated() {
      let flow = place(option)
      let problems = flow.validate()
      #expect(problems.map(\.code) == [.misplacedOption] && problems.first?.severity == .error, "\(index)")
      #expect(problems.first?.problem.hasPrefix(option.description) == true)
      #expect(problems.first?.remedy.hasPrefix("Call it on the flow that is run") == true)
      #expect(await flow.run().code == .misplacedOption)
    }
  }

  @Test(arguments: options) private func `one of a flow that is a step is a warning, and counts if that runs alone`(
    option: Option
  ) async {
    let inner = option.give(Flow("inner").add("y", .writesNothing) { _ in })
    #expect(inner.findings == [])
    let flow = Flow().add(flow: inner)
    #expect(flow.findings == ["warning misplacedOption at 1. inner"])
    #expect(await flow.run().isSuccess)
  }

  @Test func `several are as many problems, and each names the branch`() {
    let flow = Flow().parallel {
      $0.branch("left") { $0.deadline(.seconds(1)).retryBudget(.retries(1)).add("y", .writesNothing) { _ in } }
    }
    let place = "error misplacedOption at 1. Parallel > left"
    #expect(flow.findings == [place, place])
    #expect(
      flow.validate().first?.problem
        == "deadline(_:) is called on this branch, where it has no effect, because it is an option of a whole run.")
  }

  @Test func `a step that needs what was set on its branch isn't told to set it`() async throws {
    let flow = Flow().parallel { $0.branch("left") { $0.set(.mode, to: "fast").add("y", .reads(.mode)) { _ in } } }
    #expect(
      flow.findings == [
        "error misplacedOption at 1. Parallel > left", "error missingData at 1. Parallel > left > 1. y: mode",
      ])
    let problem = try #require(flow.validate().last)
    #expect(problem.remedy == "Set <mode> on the flow that is run, because what is set on a branch has no effect.")
    #expect(await flow.set(.mode, to: "fast").run().code == .misplacedOption)
  }

  @Test func `a branch contributes its steps and the names that it marks, and an inner flow its data`() async {
    let flow = Flow().parallel { $0.branch("left") { $0.markSensitive("pin").add("y", .writesNothing) { _ in } } }
      .add(flow: Flow("inner").set(FlowKey<Int>("count"), to: 1).add("y", .writesNothing) { _ in })
    #expect(flow.findings == [])
    #expect(await flow.run().isSuccess)
  }
}

extension FlowKey where Value == String {
  fileprivate static var mode: Self { "mode" }
}
