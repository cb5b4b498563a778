/// Passes elements from one producer at a time to one consumer, who takes each before the next is accepted.
///
/// It holds at most one element, apart from those of a producer whose task was cancelled, which are kept until the
/// consumer takes them. No thread waits in it.
final class ResultChannel: Sendable {
  /// The index of an item, and its result, whose type the sequence knows.
  typealias Element = (index: Int, result: any Sendable)
  typealias Producer = CheckedContinuation<Void, Never>
  typealias Consumer = CheckedContinuation<Element?, Never>

  private struct State: ~Copyable, Sendable {
    var isReserved = false
    var isIterated = false
    /// Whether no more elements come.
    var isFinished = false
    /// Whether no one takes elements any more.
    var isAbandoned = false
    /// Whether a producer was cancelled, so that none waits any more.
    var isCut = false
    var isConsumerCancelled = false
    var kept = Fifo<Element>()
    /// An element whose producer waits until it is taken.
    var offered: (element: Element, producer: Producer)?
    var consumer: Consumer?
  }

  private let state = Locked(State())

  // MARK: Whose it is

  /// Reserves it for one run; false if it was reserved before.
  func reserve() -> Bool {
    state.withLock { state in
      if state.isReserved || state.isFinished { return false }
      state.isReserved = true
      return true
    }
  }

  func giveBack() { state.withLock { $0.isReserved = false } }

  /// Begins the one iteration; false if there was one before.
  func beginIteration() -> Bool {
    state.withLock { state in
      defer { state.isIterated = true }
      return !state.isIterated
    }
  }

  // MARK: Producing

  /// Passes an element on; returns when it was taken, when no one takes any, or when the task is cancelled.
  func send(_ element: Element) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { (producer: Producer) in
        let (consumer, waits) = state.withLock { state -> (Consumer?, Bool) in
          if let consumer = state.consumer.take() { return (consumer, false) }
          if state.isFinished || state.isAbandoned { return (nil, false) }
          if state.isCut {
            state.kept.append(element)
            return (nil, false)
          }
          state.offered = (element, producer)
          return (nil, true)
        }
        consumer?.resume(returning: element)
        if !waits { producer.resume() }
      }
    } onCancel: {
      let producer = state.withLock { state -> Producer? in
        state.isCut = true
        guard let offered = state.offered.take() else { return nil }
        state.kept.append(offered.element)
        return offered.producer
      }
      producer?.resume()
    }
  }

  /// No more elements come: from the run that has reserved it, or from one that was refused and so hasn't.
  func finish(isReserved: Bool) {
    let consumer = state.withLock { state -> Consumer? in
      guard isReserved || !state.isReserved else { return nil }
      state.isFinished = true
      return state.consumer.take()
    }
    consumer?.resume(returning: nil)
  }

  // MARK: Consuming

  /// The next element; `nil` at the end, or if the task is cancelled.
  func next() async -> Element? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { (consumer: Consumer) in
        let (element, producer, waits) = state.withLock { state -> (Element?, Producer?, Bool) in
          if state.isConsumerCancelled { return (nil, nil, false) }
          if let element = state.kept.popFirst() { return (element, nil, false) }
          if let offered = state.offered.take() { return (offered.element, offered.producer, false) }
          // A second one that waits at the same time would make the first wait forever.
          if state.isFinished || state.isAbandoned || state.consumer != nil { return (nil, nil, false) }
          state.consumer = consumer
          return (nil, nil, true)
        }
        producer?.resume()
        if !waits { consumer.resume(returning: element) }
      }
    } onCancel: {
      let consumer = state.withLock { state in
        state.isConsumerCancelled = true
        return state.consumer.take()
      }
      consumer?.resume(returning: nil)
    }
  }

  /// No one takes elements any more: what is there is dropped, and neither a producer nor a consumer waits.
  func abandon(unlessIterated: Bool = false) {
    // What is dropped may be the last reference to something, so it isn't freed under the lock.
    let dropped = state.withLock { state -> (Fifo<Element>, (element: Element, producer: Producer)?, Consumer?)? in
      if unlessIterated, state.isIterated { return nil }
      state.isAbandoned = true
      defer { state.kept = Fifo() }
      return (state.kept, state.offered.take(), state.consumer.take())
    }
    dropped?.1?.producer.resume()
    dropped?.2?.resume(returning: nil)
  }
}

/// A channel of a group's results as a blueprint has it: no more results come if no blueprint has it any more.
final class ResultOutlet: Sendable {
  let channel: ResultChannel

  init(_ channel: ResultChannel) { self.channel = channel }

  deinit { channel.finish(isReserved: true) }
}
