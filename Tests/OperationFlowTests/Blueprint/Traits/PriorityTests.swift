import Foundation
import OperationFlow
import OperationFlowTesting
import TestSupport
import Testing

/// The priority of steps: which step starts first, and the priority of operations.
@Suite(.watched) struct PriorityTests {
  /// Runs a flow in one lane, and returns the names of its steps in the order in which they start.
  private func starts(_ flow: Flow) async -> [String] {
    let outcome = await flow.run(on: ManualClock())
    #expect(outcome.isSuccess)
    return outcome.report.events.filter { $0.kind == .started && $0.source.name != "Parallel" }.map(
      \.source.description)
  }

  @Test func `of branches that can start, the one with the highest priority does`() async {
    let flow = Flow("Branches").parallel { branches in
      branches.branch("a") { $0.add("low", .priority(.low)) { _ in } }
      branches.branch("b") { $0.add("normal") { _ in } }
      branches.branch("c") { $0.add("very high", .priority(.veryHigh)) { _ in } }
      branches.branch("d") { $0.add("high", .priority(.high)) { _ in } }
      branches.branch("e") { $0.add("also normal", .priority(.normal)) { _ in } }
    }
    let started = await starts(flow)
    #expect(started == ["[very high]", "[high]", "[normal]", "[also normal]", "[low]"])
  }

  @Test func `a chain of higher priority comes before the items of a group`() async {
    let flow = Flow("Chain").parallel { branches in
      branches.branch("group") { $0.forEach(in: 0..<2, width: 1, .named("item"), .priority(.low)) { _, _ in } }
      branches.branch("chain") { branch in
        branch.add("one", .priority(.high)) { _ in }.add("two", .priority(.high)) { _ in }
      }
    }
    let started = await starts(flow)
    #expect(started == ["[one]", "[two]", "[item #1]", "[item #2]"])
  }

  @Test func `the next attempt waits for work of higher priority`() async {
    let flow = Flow("Retry").parallel { branches in
      branches.branch("a") { branch in
        branch.add("low", .retry(.attempts(2)), .priority(.low)) { context in
          if context.attempt == 1 { throw TestError() }
        }
      }
      branches.branch("b") { $0.add("one") { _ in }.add("two") { _ in } }
    }
    let started = await starts(flow)
    #expect(started == ["[one]", "[two]", "[low]", "[low]"])
  }

  @Test func `an operation gets the priority, unless it has one of its own`() async {
    let (given, own) = (BlockOp(), BlockOp())
    own.queuePriority = .veryLow
    own.qualityOfService = .background
    let flow = Flow("Operations").add(operation: given, .priority(.high)).add(operation: own, .priority(.veryHigh))
    #expect(await flow.run().isSuccess)
    #expect(given.queuePriority == .high && given.qualityOfService == .userInitiated)
    #expect(own.queuePriority == .veryLow && own.qualityOfService == .background)
  }
}
