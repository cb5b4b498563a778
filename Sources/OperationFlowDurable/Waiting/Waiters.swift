import Foundation
import OperationFlow

/// The steps of a run that wait, and the messages that none has taken: a plain value, decided under one lock.
struct Waiters: Sendable {
  /// A step that waits.
  struct Waiter: Sendable {
    let operation: WaitOperation
    /// The name of the signal that it waits for; `nil` if it waits for a time alone.
    let signal: String?
    let step: Int
    let attempt: Int
    let due: Date?
    /// The date of the last message that it takes.
    let latest: Date
    /// What its alarm rings for.
    let number: Int
    var alarm: TimerID?
  }

  /// How a step begins to wait.
  enum Beginning: Sendable {
    case isOver
    case takes(SignalMessage)
    case waits(number: Int, due: Date?)
  }

  /// Those that wait, in the order in which they began.
  private var waiting: [Waiter] = []
  private var lastNumber = 0
  /// The messages that no step has taken, in the order in which they were sent.
  private var messages: [SignalMessage] = []
  /// All messages that have ever come.
  private var known: Set<MessageID> = []
  /// What the journal says about each step, or will.
  private var kept: [Int: JournalWait] = [:]
  /// The steps that took messages before the run was resumed.
  private var earlierTakers: [MessageID: Int] = [:]
  /// The message that each step has taken: if the attempt doesn't count, the next one gets it again.
  private var taken: [Int: SignalMessage] = [:]

  var count: Int { waiting.count }
  var firstDue: Date? { waiting.lazy.compactMap(\.due).min() }
  var awaitsSignals: Bool { waiting.contains { $0.signal != nil } }
  /// The names of the signals of the messages that no step has taken.
  var untaken: [String] { messages.map(\.name) }

  /// The numbers of those that wait for a signal, and the others.
  func parted(_ numbers: [Int]) -> (signals: [Int], times: [Int]) {
    let awaiting = Set(waiting.lazy.filter { $0.signal != nil }.map(\.number))
    return (numbers.filter(awaiting.contains), numbers.filter { !awaiting.contains($0) })
  }

  // MARK: Messages

  /// Notes what the journal says about a step, whose message may have come already: one sent in this process comes at once.
  mutating func restore(_ wait: JournalWait) {
    kept[wait.step] = wait
    if let message = wait.message { earlierTakers[message] = wait.step }
    guard let index = messages.firstIndex(where: { wait.message?.fits($0) == true }) else { return }
    taken[wait.step] = messages.remove(at: index)
  }

  /// Adds a message, unless it has come before.
  mutating func add(_ message: SignalMessage) {
    guard known.insert(message.identity).inserted else { return }
    // It was taken before the run was resumed, unless the step waits again because the message wasn't there any longer.
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

  /// Gives each step that waits the first message that is for it; `note` gets what the journal has to know.
  mutating func handOut(_ note: (JournalWait) -> Void) -> [(waiter: Waiter, message: SignalMessage)] {
    var (handed, places) = ([(waiter: Waiter, message: SignalMessage)](), [Int]())
    for place in waiting.indices {
      if messages.isEmpty { break }
      guard let message = take(for: waiting[place], note) else { continue }
      handed.append((waiting[place], message))
      places.append(place)
    }
    // The last first, because the places of those before it stay the same.
    for place in places.reversed() { waiting.remove(at: place) }
    return handed
  }

  private mutating func take(for waiter: Waiter, _ note: (JournalWait) -> Void) -> SignalMessage? {
    guard let name = waiter.signal,
      let index = messages.firstIndex(where: { $0.name == name && $0.date <= waiter.latest })
    else { return nil }
    let message = messages.remove(at: index)
    taken[waiter.step] = message
    let wait = JournalWait(step: waiter.step, attempt: waiter.attempt, due: waiter.due, message: message.identity)
    kept[waiter.step] = wait
    note(wait)
    return message
  }

  // MARK: Steps

  /// A step begins to wait, or again after its run was resumed; `note` gets what the journal has to know.
  ///
  /// If there is a mailbox, a step isn't over that waits for a signal: what was sent in time may have to be read first.
  mutating func begin(
    _ operation: WaitOperation, step: Int, attempt: Int, due: Date?, now: Date, hasMailbox: Bool = false,
    _ note: (JournalWait) -> Void
  ) -> Beginning {
    // Its attempt has begun before, or an earlier one has taken a message and didn't count.
    let before = kept[step]
    if let message = taken[step] {
      if message.name == operation.signal?.name { return .takes(message) }
      // The step has waited for something else before the flow was changed.
      taken[step] = nil
      messages.insert(message, at: 0)
    }
    let isNoted = before?.attempt == attempt
    let due = isNoted ? before?.due ?? due : due
    lastNumber += 1
    // What came while no process had the run has come in time if it was sent in time.
    let end = due.flatMap { $0 <= now ? $0 : nil }
    let waiter = Waiter(
      operation: operation, signal: operation.signal?.name, step: step, attempt: attempt, due: due,
      latest: end ?? .distantFuture, number: lastNumber)
    if let message = take(for: waiter, note) { return .takes(message) }
    if !isNoted || before?.due != due {
      let wait = JournalWait(step: step, attempt: attempt, due: due, message: nil)
      kept[step] = wait
      note(wait)
    }
    if end != nil, waiter.signal == nil || !hasMailbox { return .isOver }
    waiting.append(waiter)
    return .waits(number: lastNumber, due: due)
  }

  /// Notes the alarm of a step; false if it waits no longer.
  mutating func note(_ alarm: TimerID, of number: Int) -> Bool {
    // It is one of the last that began.
    guard let index = waiting.lastIndex(where: { $0.number == number }) else { return false }
    waiting[index].alarm = alarm
    return true
  }

  /// The time of a step is over, unless its date is still to come, which is looked at now and then, because clocks are set.
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
  /// True if it is that of a message, perhaps without the name of its signal.
  fileprivate func fits(_ message: SignalMessage) -> Bool {
    id == message.id && (signal == nil || signal == message.name)
  }
}
