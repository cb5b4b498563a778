// Builds, starts and finishes units of the library's work: `cost-units UNIT COUNT`, or `cost-units --list`.
//
// The difference between two counts, divided by the difference of the counts, is what one unit costs. What a process or
// a run costs once is not in it.
import Dispatch
import Foundation
import OperationFlow

final class EmptyOperation: FlowOperation, @unchecked Sendable {
  override func mainLogic() { finishSuccessfully() }
}

final class AddingOperation: FlowOperation, @unchecked Sendable {
  @FlowInput var left: Int
  @FlowInput var right: Int
  @FlowOutput var sum: Int?

  override func mainLogic() {
    sum = left &+ right
    finishSuccessfully()
  }
}

final class AwaitingOperation: FlowOperation, @unchecked Sendable {
  override func run() async throws {}
}

final class LoggingOperation: FlowOperation, @unchecked Sendable {
  private let count: Int

  init(_ count: Int) { self.count = count }

  override func mainLogic() {
    for _ in 0..<count { log(message: "a line") }
    finishSuccessfully()
  }
}

struct NotYet: Error {}

final class Lines {
  var all: [(Date, String)] = []
}

final class BareOperation: Operation, @unchecked Sendable {
  override func main() {}
}

enum Unit: String, CaseIterable {
  case closureStep = "closure step"
  case operationStep = "operation step"
  case operationWithPorts = "operation with two inputs and an output"
  case asynchronousStep = "asynchronous closure step"
  case asynchronousOperation = "operation with run()"
  case item = "item of a group, closure, width 1"
  case asynchronousItem = "item of a group, asynchronous, width 1"
  case retriedStep = "closure step with a retry that is never needed"
  case failingItem = "item that fails twice, asynchronous, width 1"
  case limitedItem = "item with a limiter that is never full, closure, width 1"
  case line = "line that an operation logs"
  case read = "value that a closure reads"
  case write = "value that a closure writes"
  case emptyFlow = "empty flow, made and run"
  case flowRunAgain = "flow of two steps, one with ports, run again"
  // What the toolchain's own take, to compare with.
  case block = "a block on a serial OperationQueue"
  case bareOperation = "an Operation, made and started in place"
  case appendedLine = "a date and a line, appended under an NSLock"
  case task = "a Task, awaited"
  case taskGroupItem = "an item of a TaskGroup, one at a time"

  private static let key: FlowKey<Int> = "key"

  /// Whether it is a step of one flow.
  var isFlowOfSteps: Bool {
    switch self {
    case .closureStep, .operationStep, .operationWithPorts, .asynchronousStep, .asynchronousOperation, .retriedStep:
      true
    default: false
    }
  }

  /// Builds, starts and finishes it `count` times.
  func run(_ count: Int) async {
    switch self {
    case .closureStep: await runFlow(count) { flow in flow.add("step") { _ in } }
    case .operationStep: await runFlow(count) { flow in flow.add(EmptyOperation()) }
    case .operationWithPorts: await runFlow(count) { flow in flow.add(AddingOperation()) }
    case .asynchronousStep: await runFlow(count) { flow in flow.add("step") { (_: FlowContext) async in } }
    case .asynchronousOperation: await runFlow(count) { flow in flow.add(AwaitingOperation()) }
    case .item: await runGroup(count) { flow in flow.forEach("items", width: 1) { (_: Int, _) in } }
    case .asynchronousItem: await runGroup(count) { flow in flow.forEach("items", width: 1) { (_: Int, _) async in } }
    case .retriedStep: await runFlow(count) { flow in flow.add("step", .retry(.attempts(3))) { _ in } }
    case .failingItem:
      await runGroup(count) { flow in
        flow.forEach("items", width: 1, .retry(.attempts(3))) { (_: Int, context) async throws in
          if context.attempt < 3 { throw NotYet() }
        }
      }
    case .limitedItem:
      let limiter = FlowLimiter(atMost: 1_000)
      await runGroup(count) { flow in flow.forEach("items", width: 1, .limited(by: limiter)) { (_: Int, _) in } }
    case .line: await finish(Flow().add(LoggingOperation(count)))
    case .read:
      let flow = Flow().set(Self.key, to: 1).add("reads") { context in
        var sum = 0
        for _ in 0..<count { sum &+= context[Self.key] ?? 0 }
        if sum != count { throw CancellationError() }
      }
      await finish(flow)
    case .write: await finish(Flow().add("writes") { context in for _ in 0..<count { context[Self.key] = 1 } })
    case .emptyFlow: for _ in 0..<count { await finish(Flow()) }
    case .flowRunAgain:
      let flow = Flow().set("left", to: 1).set("right", to: 2).add(AddingOperation()).add("step") { _ in }
      for _ in 0..<count { await finish(flow) }
    case .block:
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      for _ in 0..<count { queue.addOperation {} }
      await withCheckedContinuation { continuation in queue.addBarrierBlock { continuation.resume() } }
    case .bareOperation: for _ in 0..<count { BareOperation().start() }
    case .appendedLine:
      let (lock, lines) = (NSLock(), Lines())
      for _ in 0..<count { lock.withLock { lines.all.append((Date(), "a line")) } }
    case .task: for _ in 0..<count { await Task {}.value }
    case .taskGroupItem:
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<count {
          group.addTask {}
          await group.next()
        }
      }
    }
  }
}

/// Something that the last step of a flow holds: what is freed with a flow is counted completely, or not at all.
final class LastHeld: Sendable {
  static let isFreed = DispatchSemaphore(value: 0)

  deinit { Self.isFreed.signal() }
}

/// Runs a flow to which `add` has added `count` steps.
func runFlow(_ count: Int, _ add: (Flow) -> Flow) async {
  let flow = Flow().set("left", to: 1).set("right", to: 2)
  for _ in 0..<count { _ = add(flow) }
  let held = LastHeld()
  await finish(flow.add("last") { [held] _ in withExtendedLifetime(held) {} })
}

/// Runs a flow with a group of `count` items that `add` has added.
func runGroup(_ count: Int, _ add: (Flow) -> Flow) async {
  await finish(add(Flow().set("items", to: Array(0..<count))))
}

func finish(_ flow: Flow) async {
  let outcome = await flow.run()
  guard outcome.isSuccess else {
    print(outcome)
    exit(1)
  }
}

let arguments = CommandLine.arguments
if arguments.dropFirst().first == "--list" {
  for unit in Unit.allCases { print(unit.rawValue) }
  exit(0)
}
guard arguments.count == 3, let unit = Unit(rawValue: arguments[1]), let count = Int(arguments[2]) else {
  print("usage: cost-units UNIT COUNT | --list")
  exit(2)
}
// A process whose main thread has ended is not counted to its end.
let isDone = DispatchSemaphore(value: 0)
Task.detached {
  await unit.run(count)
  isDone.signal()
}
isDone.wait()
if unit.isFlowOfSteps { LastHeld.isFreed.wait() }
// What comes after that in the freeing of a run, on whatever thread, is counted as well.
Thread.sleep(forTimeInterval: 0.2)
exit(0)
