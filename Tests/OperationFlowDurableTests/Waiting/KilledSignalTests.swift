import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Runs that wait, in processes that are killed at any moment, and signals from other processes.
@Suite(.long) struct KilledSignalTests {
  @Test func `no signal is lost or taken twice, however often the run is killed`() async throws {
    defer { SignalledRun.removeOrder() }
    var random = SplitMix(seed: TestSettings.firstSeed())
    for _ in 0..<TestSettings.amount(2) { try await Self.check(kills: 3, &random) }
  }

  private static func check(kills: Int, _ random: inout SplitMix) async throws {
    let (count, shape, moments) = (6, random.next(), (0..<kills).map { _ in random.next() % 60_000 })
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      var sent = 0
      for kill in 0...kills {
        let isLast = kill == kills
        let order = SignalledRun(
          folder: folder.path, count: count, shape: shape, killedAfter: isLast ? nil : moments[kill])
        try order.hand()
        let first = sent
        let last = isLast ? count : min(count, sent + 2)
        async let sending: Void = Self.send(first..<last, to: store)
        if isLast {
          await #expect(processExitsWith: .success) { try await SignalledRun.handed().run() }
        } else {
          await #expect(processExitsWith: .signal(SIGKILL)) { try await SignalledRun.handed().run() }
        }
        try await sending
        sent = last
      }
      let outcome = await SignalledRun.flow(count, shape).run(id: "r", in: store)
      let seen = outcome.report[SignalledRun.seen]
      #expect(
        outcome.isSuccess && seen == Array(0..<count), "\(seen ?? []) of the shape \(shape), killed after \(moments)")
      #expect(try store.readJournal(of: Mailbox.id(of: "r")) == nil)
    }
  }

  /// Sends each number but the last one twice, as a sender does that can't be sure of the first time.
  private static func send(_ numbers: Range<Int>, to store: FileFlowStore) async throws {
    for number in numbers {
      for _ in 1...(number + 1 == numbers.upperBound ? 1 : 2) {
        do {
          try await store.send(
            SignalledRun.number, number, to: "r", messageID: "number \(number)", beforeItBegins: true)
        } catch let error as FlowError where error.code == .runNotWaiting {
          // The run has ended, because this number arrived earlier.
        }
      }
    }
  }

  @Test func `the signals of four processes arrive, each once, while the run is killed and resumed`() async throws {
    defer { SignalledRun.removeOrder() }
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      try SignalledRun(folder: folder.path, count: 20, shape: 0, killedAfter: 40_000).hand()
      async let first = #expect(processExitsWith: .success) { try await SignalledRun.handed().send(0..<5) }
      async let second = #expect(processExitsWith: .success) { try await SignalledRun.handed().send(5..<10) }
      async let third = #expect(processExitsWith: .success) { try await SignalledRun.handed().send(10..<15) }
      async let fourth = #expect(processExitsWith: .success) { try await SignalledRun.handed().send(15..<20) }
      await #expect(processExitsWith: .signal(SIGKILL)) { try await SignalledRun.handed().run() }
      await #expect(processExitsWith: .signal(SIGKILL)) { try await SignalledRun.handed().run() }
      _ = await (first, second, third, fourth)
      let outcome = await SignalledRun.flow(20, 0).run(id: "r", in: store)
      let seen = outcome.report[SignalledRun.seen] ?? []
      #expect(outcome.isSuccess && seen.sorted() == Array(0..<20))
      // The numbers of one sender stay in their order.
      for sender in 0..<4 { #expect(seen.filter { $0 / 5 == sender } == Array(5 * sender..<5 * sender + 5)) }
    }
  }
}

/// A run that receives signals, in a process of its own.
private struct SignalledRun: Codable, Sendable {
  static let number: FlowSignal<Int> = "number"
  static let seen: FlowKey<[Int]> = "seen"

  let folder: String
  let count: Int
  /// A seed for the steps around the waits; with 0, all are the same.
  let shape: UInt64
  /// The microseconds after which the process is killed; `nil` for never.
  let killedAfter: UInt64?

  private static func order(of process: pid_t) -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("signalled-run-\(process).json")
  }

  func hand() throws { try JSONEncoder().encode(self).write(to: Self.order(of: getpid()), options: .atomic) }

  static func handed() throws -> Self {
    try JSONDecoder().decode(Self.self, from: Data(contentsOf: order(of: getppid())))
  }

  static func removeOrder() { try? FileManager.default.removeItem(at: order(of: getpid())) }

  /// Returns a flow that receives numbers one after the other, each in one of several ways.
  static func flow(_ count: Int, _ shape: UInt64) -> Flow {
    let flow = Flow("Signalled").set(seen, to: []).set("way", to: "a")
    var random = SplitMix(seed: shape)
    for _ in 0..<count { addWait(to: flow, way: shape == 0 ? 0 : random.next() % 6) }
    return flow
  }

  private static func addWait(to flow: Flow, way: UInt64) {
    let note = { @Sendable (context: FlowContext) in
      context[seen] = (context[seen] ?? []) + [try context.require(number.key)]
    }
    switch way {
    // Attempts that time out. A signal may arrive during any of them.
    case 1: flow.wait(for: number, timeout: .milliseconds(3), .retry(.attempts(100_000, delay: .zero)))
    case 2:
      flow.parallel { branches in
        branches.branch("takes") { $0.wait(for: number) }.branch("waits") { $0.wait(.milliseconds(4)) }
      }
    case 3: flow.cases(on: "way") { $0.when("a") { $0.wait(for: number) } }
    case 4: flow.add(flow: Flow("Inner").wait(.milliseconds(1)).wait(for: number).wait(until: .now))
    case 5: flow.wait(for: number, .undo { _ in }, .timeout(.seconds(600)))
    default: flow.wait(for: number).wait(.milliseconds(1))
    }
    flow.add("note", run: note)
  }

  private var store: FileFlowStore { FileFlowStore(folder: URL(fileURLWithPath: folder, isDirectory: true)) }

  func run() async throws {
    if let killedAfter {
      Thread.detachNewThread {
        usleep(UInt32(killedAfter))
        kill(getpid(), SIGKILL)
      }
    }
    let outcome = await Self.flow(count, shape).run(id: "r", in: store)
    // The process of a run that ended earlier waits for the kill.
    while killedAfter != nil { try await Task.sleep(for: .seconds(1)) }
    if !outcome.isSuccess { throw TestError(name: "\(outcome)") }
  }

  func send(_ numbers: Range<Int>) async throws {
    for number in numbers {
      try await store.send(Self.number, number, to: "r", messageID: "number \(number)", beforeItBegins: true)
    }
  }
}
