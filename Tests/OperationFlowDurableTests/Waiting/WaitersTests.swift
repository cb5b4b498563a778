import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// The decisions about steps that wait, without a run.
@Suite(.watched) struct WaitersTests {
  private static let start = Date(timeIntervalSince1970: 1_000)

  private static func operation(_ kind: StepWait.Kind) -> WaitOperation { WaitOperation(StepWait(kind: kind)) }

  @Test func `a date that rings early, because the clock was set back, is waited for again`() throws {
    var waiters = Waiters()
    let due = Self.start.addingTimeInterval(60)
    let beginning = waiters.begin(
      Self.operation(.date(due)), step: 0, attempt: 1, due: due, now: Self.start, { _ in })
    guard case .waits(let number, due) = beginning else { return #expect(Bool(false), "\(beginning)") }
    let early = waiters.ring(number, at: Self.start.addingTimeInterval(-40))
    #expect(early.over == nil && early.early == 100 && waiters.count == 1)
    #expect(waiters.ring(number, at: due).over?.step == 0 && waiters.count == 0)
    #expect(waiters.ring(number, at: due).over == nil)
  }

  @Test func `a time that rings is over, whatever the date is`() throws {
    var waiters = Waiters()
    let due = Self.start.addingTimeInterval(60)
    let beginning = waiters.begin(
      Self.operation(.time(.seconds(60))), step: 0, attempt: 1, due: due, now: Self.start, { _ in })
    guard case .waits(let number, _) = beginning else { return #expect(Bool(false), "\(beginning)") }
    #expect(waiters.ring(number, at: Self.start.addingTimeInterval(-40)).over != nil)
  }

  @Test func `an attempt that didn't count leaves its message to the next one`() throws {
    let signal = AwaitedSignal("number" as FlowSignal<Int>, timeout: nil, continues: false)
    var (waiters, kept) = (Waiters(), [JournalWait]())
    waiters.add(SignalMessage("number", 1, at: Self.start))
    waiters.add(SignalMessage("number", 2, at: Self.start))
    for attempt in 1...2 {
      let beginning = waiters.begin(
        Self.operation(.signal(signal)), step: 3, attempt: attempt, due: nil, now: Self.start
      ) { kept.append($0) }
      guard case .takes(let message) = beginning else { return #expect(Bool(false), "\(beginning)") }
      #expect(try message.value(as: Int.self, of: "number") == 1)
    }
    #expect(kept.map(\.step) == [3] && kept.map { $0.message != nil } == [true])
  }

  @Test func `each step that waits gets the first message of its own name, and others go on waiting`() throws {
    var waiters = Waiters()
    for (step, name) in ["a", "b", "a", "c", "b"].enumerated() {
      let signal = AwaitedSignal(FlowSignal<Int>(name), timeout: nil, continues: false)
      _ = waiters.begin(Self.operation(.signal(signal)), step: step, attempt: 1, due: nil, now: Self.start, { _ in })
    }
    for (value, name) in ["x", "b", "a", "a", "b", "a"].enumerated() {
      waiters.add(SignalMessage(name, value, at: Self.start))
    }
    let handed = waiters.handOut { _ in }
    #expect(handed.map(\.waiter.step) == [0, 1, 2, 4] && waiters.count == 1)
    let values = try handed.map { try $0.message.value(as: Int.self, of: "any") }
    #expect(values == [2, 1, 3, 4] && waiters.handOut { _ in }.isEmpty)
  }

  @Test func `a time that is over waits for the mailbox, in which what was sent in time may be`() throws {
    let signal = AwaitedSignal("number" as FlowSignal<Int>, timeout: .seconds(60), continues: false)
    var waiters = Waiters()
    let (due, now) = (Self.start.addingTimeInterval(60), Self.start.addingTimeInterval(90))
    waiters.restore(JournalWait(step: 0, attempt: 1, due: due, message: nil))
    let beginning = waiters.begin(
      Self.operation(.signal(signal)), step: 0, attempt: 1, due: now, now: now, hasMailbox: true, { _ in })
    guard case .waits(let number, due) = beginning else { return #expect(Bool(false), "\(beginning)") }
    #expect(waiters.parted([number]).signals == [number])
    waiters.add(SignalMessage("number", 1, at: now))
    #expect(waiters.handOut { _ in }.isEmpty)
    waiters.add(SignalMessage("number", 2, at: Self.start))
    #expect(waiters.handOut { _ in }.count == 1 && waiters.untaken == ["number"])
  }

  @Test func `random waits, messages and restarts agree with a plain model`() async {
    await forEachSeed(count: 200, workers: 2) { seed in
      var random = SplitMix(seed: seed)
      var model = Model()
      return model.run(&random)
    }
  }

  /// A model of steps that receive numbers in the order in which they arrive; a restart loses everything that isn't
  /// stored.
  private struct Model {
    private var waiters = Waiters()
    private var kept: [JournalWait] = []
    private var mailbox: [SignalMessage] = []
    /// The number that each ended step received.
    private var taken: [Int: Int] = [:]
    private var open: [Int: WaitOperation] = [:]
    private var nextStep = 0

    private static let signal = AwaitedSignal("number" as FlowSignal<Int>, timeout: nil, continues: false)

    mutating func run(_ random: inout SplitMix) -> String? {
      for _ in 0..<60 {
        switch random.next() % 8 {
        case 0, 1, 2:
          mailbox.append(SignalMessage("number", mailbox.count, at: .distantPast))
          waiters.add(mailbox[mailbox.count - 1])
          // A message may be read twice.
          if random.next() % 2 == 0 { waiters.add(mailbox[Int(random.next() % UInt64(mailbox.count))]) }
          handOut()
        case 3, 4, 5:
          begin(nextStep)
          nextStep += 1
        case 6:
          guard let (step, operation) = open.min(by: { $0.key < $1.key }) else { continue }
          _ = waiters.remove(operation)
          open[step] = nil
          begin(step)
        default: restart(&random)
        }
      }
      restart(&random)
      while taken.count < nextStep {
        mailbox.append(SignalMessage("number", mailbox.count, at: .distantPast))
        waiters.add(mailbox[mailbox.count - 1])
        handOut()
        if mailbox.count > 300 { return "a step is never given a message: \(taken)" }
      }
      let numbers = taken.values.sorted()
      return numbers == Array(0..<nextStep) ? nil : "taken: \(taken)"
    }

    private mutating func begin(_ step: Int) {
      let operation = WaitersTests.operation(.signal(Self.signal))
      let beginning = waiters.begin(operation, step: step, attempt: 1, due: nil, now: .distantPast) { kept.append($0) }
      if case .takes(let message) = beginning { end(step, message) } else { open[step] = operation }
    }

    private mutating func handOut() {
      for (waiter, message) in waiters.handOut({ kept.append($0) }) {
        open[waiter.step] = nil
        end(waiter.step, message)
      }
    }

    private mutating func end(_ step: Int, _ message: SignalMessage) {
      taken[step] = try? message.value(as: Int.self, of: "number")
    }

    /// Continues with the stored waits in another process, which may read messages before it has read all waits.
    private mutating func restart(_ random: inout SplitMix) {
      waiters = Waiters()
      let toldAt = random.next() % 2 == 0 ? Int(random.next() % UInt64(kept.count + 1)) : kept.count
      for wait in kept.prefix(toldAt) { waiters.restore(wait) }
      for message in mailbox { waiters.add(message) }
      for wait in kept.dropFirst(toldAt) { waiters.restore(wait) }
      let steps = open.keys.sorted()
      open = [:]
      for step in steps { begin(step) }
    }
  }
}
