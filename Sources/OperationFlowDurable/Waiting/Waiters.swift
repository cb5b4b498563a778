import Foundation
import OperationFlow

/// The waiting steps of a run, and the messages that no step has accepted: a plain value, changed under one lock.
struct Waiters: Sendable {
  /// A step that waits.
  struct Waiter: Sendable {
    let operation: WaitOperation
    /// The name of the signal for which the step waits; `nil` if the step waits for a time alone.
    let signal: String?
    let step: Int
    let attempt: Int
    let due: Date?
    /// The latest date at which a message for the step may have been sent.
    let latest: Date
    /// The number with which the step's alarm rings.
    let number: Int
    var alarm: TimerID?
  }

  /// The way in which a step begins to wait.
  enum Beginning: Sendable {
    case isOver
    case takes(SignalMessage)
    case waits(number: Int, due: Date?)
  }

  /// The waiting steps, in the order in which they began to wait.
  private var waiting: [Waiter] = []
  private var lastNumber = 0
  /// The messages that no step has accepted, in the order in which they are delivered.
  private var messages: [SignalMessage] = []
  /// The identities of all messages that have arrived.
  private var known: Set<MessageID> = []
  /// The last entry about each step that the journal has, or will have.
  private var kept: [Int: JournalWait] = [:]
  /// The steps that accepted messages before the run was resumed.
  private var earlierTakers: [MessageID: Int] = [:]
  /// The message that each step has accepted: if the attempt doesn't count, the next one gets the message again.
  private var taken: [Int: SignalMessage] = [:]

  var count: Int { waiting.count }
  var firstDue: Date? { waiting.lazy.compactMap(\.due).min() }
  var awaitsSignals: Bool { waiting.contains { $0.signal != nil } }
  /// The names of the signals whose messages no step has accepted.
  var untaken: [String] { messages.map(\.name) }

  /// Returns the numbers of the steps that wait for a signal, and the other numbers.
  func parted(_ numbers: [Int]) -> (signals: [Int], times: [Int]) {
    let awaiting = Set(waiting.lazy.filter { $0.signal != nil }.map(\.number))
    return (numbers.filter(awaiting.contains), numbers.filter { !awaiting.contains($0) })
  }

  // MARK: Messages

  /// Restores an entry about a step, whose message may have arrived already if it was sent in this process.
  mutating func restore(_ wait: JournalWait) {
    kept[wait.step] = wait
    if let message = wait.message { earlierTakers[message] = wait.step }
    guard let index = messages.firstIndex(where: { wait.message?.fits($0) == true }) else { return }
    taken[wait.step] = messages.remove(at: index)
  }

  /// Adds a message, unless it has arrived before.
  mutating func add(_ message: SignalMessage) {
    guard known.insert(message.identity).inserted else { return }
    // A step accepted it before the run was resumed, unless the step waits again because the message was missing.
    if let step = earlierTaker(of: message), !waiting.contains(where: { $0.step == step }) {
      taken[step] = message
    } else {
      messages.append(message)
    }
  }

  private func earlierTaker(of message: SignalMessage) -> Int? {
    if earlierTakers.isEmpty { return nil }
    let step = earlierTakers[message.identity] ?? earlierTakers[MessageID(signal: nil, id: message.id)]
    return step.flatMap { kept[$0]?.message?.fits(message) == true ? $0 : nil }
  }

  /// Returns each waiting step with the first message for it; `record` gets the entries for the journal.
  mutating func handOut(_ record: (JournalWait) -> Void) -> [(waiter: Waiter, message: SignalMessage)] {
    var (handed, places) = ([(waiter: Waiter, message: SignalMessage)](), [Int]())
    for place in waiting.indices {
      if messages.isEmpty { break }
      guard let message = takeMessage(for: waiting[place], record) else { continue }
      handed.append((waiting[place], message))
      places.append(place)
    }
    // The last first, so that the indices of the others stay valid.
    for place in places.reversed() { waiting.remove(at: place) }
    return handed
  }

  private mutating func takeMessage(for waiter: Waiter, _ record: (JournalWait) -> Void) -> SignalMessage? {
    guard let name = waiter.signal,
      let index = messages.firstIndex(where: { $0.name == name && $0.date <= waiter.latest })
    else { return nil }
    let message = messages.remove(at: index)
    taken[waiter.step] = message
    let wait = JournalWait(step: waiter.step, attempt: waiter.attempt, due: waiter.due, message: message.identity)
    kept[waiter.step] = wait
    record(wait)
    return message
  }

  // MARK: Steps

  /// Lets a step begin to wait, also again after a resume; `record` gets the entry for the journal.
  ///
  /// If there is a mailbox, the time of a step that waits for a signal isn't over yet: a signal may have been sent in
  /// time, and has to be read first.
  mutating func begin(
    _ operation: WaitOperation, step: Int, attempt: Int, due: Date?, now: Date, hasMailbox: Bool = false,
    _ record: (JournalWait) -> Void
  ) -> Beginning {
    // The attempt has begun before the resume, or an earlier attempt has accepted a message and didn't count.
    let before = kept[step]
    if let message = taken[step] {
      if message.name == operation.signal?.name { return .takes(message) }
      // The step waited for something else before the flow was changed.
      taken[step] = nil
      messages.insert(message, at: 0)
    }
    let isRecorded = before?.attempt == attempt
    let due = isRecorded ? before?.due ?? due : due
    lastNumber += 1
    // A message that arrived while no process had the run open counts if it was sent in time.
    let end = due.flatMap { $0 <= now ? $0 : nil }
    let waiter = Waiter(
      operation: operation, signal: operation.signal?.name, step: step, attempt: attempt, due: due,
      latest: end ?? .distantFuture, number: lastNumber)
    if let message = takeMessage(for: waiter, record) { return .takes(message) }
    if !isRecorded || before?.due != due {
      let wait = JournalWait(step: step, attempt: attempt, due: due, message: nil)
      kept[step] = wait
      record(wait)
    }
    if end != nil, waiter.signal == nil || !hasMailbox { return .isOver }
    waiting.append(waiter)
    return .waits(number: lastNumber, due: due)
  }

  /// Stores the alarm of a step; returns false if the step doesn't wait any longer.
  mutating func store(_ alarm: TimerID, of number: Int) -> Bool {
    // The step is one of the last that began to wait.
    guard let index = waiting.lastIndex(where: { $0.number == number }) else { return false }
    waiting[index].alarm = alarm
    return true
  }

  /// Removes and returns a step whose time is over; returns the remaining time instead if its date is not reached.
  ///
  /// A date is checked now and then, because clocks are set.
  mutating func ring(_ number: Int, at now: Date) -> (over: Waiter?, early: TimeInterval?) {
    guard let index = waiting.firstIndex(where: { $0.number == number }) else { return (nil, nil) }
    if waiting[index].operation.isDated, let due = waiting[index].due, due.timeIntervalSince(now) > 0.001 {
      return (nil, due.timeIntervalSince(now))
    }
    return (waiting.remove(at: index), nil)
  }

  mutating func remove(_ operation: WaitOperation) -> Waiter? {
    waiting.firstIndex { $0.operation === operation }.map { waiting.remove(at: $0) }
  }
}

extension MessageID {
  /// Returns true if this is the identity of a message, perhaps without the name of its signal.
  fileprivate func fits(_ message: SignalMessage) -> Bool {
    id == message.id && (signal == nil || signal == message.name)
  }
}
