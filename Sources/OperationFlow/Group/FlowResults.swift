/// The results of a group's items as an asynchronous sequence, each with the item's index.
///
/// Give it to one group with the trait `.results(to:)`, and iterate it once while the flow runs:
/// ```swift
/// let lengths = FlowResults<Int>()
/// let run = Flow("Lengths")
///   .forEach(in: words, width: 8, .results(to: lengths)) { word, _ in word.count }
///   .start()
/// for try await (index, result) in lengths { print(index, result.output ?? 0) }
/// ```
/// An item keeps its place in the group's width until its result was taken: no more items than that are ahead of the
/// loop, however many there are. The sequence ends when the group has ended, or the run without it. If you leave the loop
/// early, call ``finish()``, and the group goes on without you. In a function, it also does so when the loop is left, or
/// when nothing holds the sequence any more; at the top level of `main.swift`, a loop lives as long as the program.
public struct FlowResults<Output: Sendable>: AsyncSequence, Sendable {
  /// The index of an item, and its result.
  public typealias Element = (index: Int, result: FlowItemResult<Output>)

  let channel = ResultChannel()
  private let handle: Handle

  /// Creates a sequence for one group of one run.
  public init() { handle = Handle(channel) }

  /// Takes the results, one after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let consumption: Consumption?

    fileprivate init(_ channel: ResultChannel) {
      consumption = channel.beginIteration() ? Consumption(channel) : nil
    }

    /// Returns the next result, waiting until it comes; `nil` after the last one, and if the task is cancelled.
    ///
    /// - Returns: The index of an item, and its result.
    /// - Throws: ``FlowError`` with the code `resultsUsedTwice` if the sequence has been iterated before.
    public mutating func next() async throws -> Element? {
      guard let consumption else { throw FlowError.resultsIteratedTwice }
      guard let (index, boxed) = await consumption.channel.next(), let result = boxed as? FlowItemResult<Output> else {
        return nil
      }
      return (index, result)
    }
  }

  /// Begins to take the results, which can be done once.
  ///
  /// - Returns: What takes them.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(channel) }

  /// Takes no more results: the group goes on without waiting for them to be taken, and the sequence ends.
  ///
  /// ```swift
  /// for try await (index, result) in lengths where result.isSuccess {
  ///   print("the first is", index)
  ///   break
  /// }
  /// lengths.finish()
  /// ```
  /// A loop that waits for the next result ends. You can call it from any thread, and more than once.
  public func finish() { channel.abandon() }

  /// Notices that no one is going to iterate the sequence.
  private final class Handle: Sendable {
    private let channel: ResultChannel

    init(_ channel: ResultChannel) { self.channel = channel }

    deinit { channel.abandon(unlessIterated: true) }
  }

  /// Notices that the iteration is over.
  fileprivate final class Consumption: Sendable {
    let channel: ResultChannel

    init(_ channel: ResultChannel) { self.channel = channel }

    deinit { channel.abandon() }
  }
}

extension FlowError {
  fileprivate static let resultsIteratedTwice = FlowError(
    .resultsUsedTwice, "a FlowResults is iterated a second time",
    remedy: "Iterate it once; a second reader can get what the first one has read, or use .onEachResult.")

  /// A sequence of results that belongs to another group, or to another run.
  static func resultsUsedTwice(_ step: String) -> FlowError {
    FlowError(
      .resultsUsedTwice, "the FlowResults of this group is, or was, that of another run",
      remedy: "Make a FlowResults for each run: build the flow again, with a new one.", step: step)
  }
}

/// The order in which a group hands on the results of its items.
public enum FlowResultOrder: Sendable, Hashable {
  /// Each result as soon as its item has ended.
  case completion
  /// The results in the order of the items: one that comes early waits for those before it.
  case input
}
