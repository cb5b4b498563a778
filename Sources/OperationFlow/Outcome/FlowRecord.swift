/// A run as a value that can be saved: the steps of its flow, its events in order, and its ending.
///
/// Summaries are made from a record, and with `import OperationFlowReports` so are diagrams, timelines, pages and saved
/// records. A record contains texts, never the values of the data bucket themselves, and hides sensitive values. Times
/// are rounded to microseconds, so that they are equal after being saved and read.
public struct FlowRecord: Sendable, Hashable {
  /// The identifier of the run, 32 hexadecimal digits; `nil` if an early version of the library saved the record.
  public let runID: String?
  /// The flow's name.
  public let flowName: String
  /// The steps of the flow, each before those within it; branches have entries of their own.
  ///
  /// The record of a durable run that had ended in an earlier process has no events. It has no steps either if the flow
  /// has changed since.
  public let steps: [Step]
  /// The run's events, in the order in which they happened, as far as they were recorded.
  public let events: [FlowEvent]
  /// The first 1,000 items that failed, in the order of their failures; ``Step/items`` counts all of them.
  public let itemFailures: [ItemFailure]
  /// The ending of the run; `nil` while it is under way.
  public let ending: Ending?
  /// The number of events of a saved record that were skipped because this version of the library doesn't have their
  /// kind.
  public let skippedEventCount: Int

  /// The position of each step in ``steps`` by its number; of steps with the same number, the first one.
  let places: [Int: Int]

  package init(
    flowName: String, steps: [Step], events: [FlowEvent], itemFailures: [ItemFailure] = [], ending: Ending? = nil,
    skippedEventCount: Int = 0, runID: String? = nil
  ) {
    self.runID = runID
    self.flowName = flowName
    self.steps = steps
    places = Dictionary(steps.indices.map { (steps[$0].id, $0) }) { first, _ in first }
    self.events = events
    self.itemFailures = itemFailures
    self.ending = ending
    self.skippedEventCount = skippedEventCount
  }

  /// True if the run had ended before it was started again: it has no events, and each step that began had ended.
  package var hadEnded: Bool {
    ending != nil && events.isEmpty && steps.allSatisfy { $0.attempts == 0 || $0.beforeResume != nil }
  }

  /// Returns the step with an ``Step/id``, such as an event's ``FlowEvent/step``.
  ///
  /// - Parameter id: The step's number.
  /// - Returns: The step; `nil` if there is none.
  public func step(_ id: Int) -> Step? { places[id].map { steps[$0] } }

  /// An item of a group that failed for good.
  public struct ItemFailure: Sendable, Hashable {
    /// The item's name, such as `[UploadOp #3]`.
    public let name: String
    /// The ``Step/id`` of the group; `nil` if it isn't known.
    public let step: Int?
    /// The item's index, counted from 0.
    public let index: Int
    /// The text of the item, or `<redacted>`.
    public let input: String
    /// The text of the error.
    public let error: String
    /// The number of the last attempt, counted from 1.
    public let attempt: Int

    package init(name: String, step: Int?, index: Int, input: String, error: String, attempt: Int) {
      self.name = name
      self.step = step
      self.index = index
      self.input = input
      self.error = error
      self.attempt = attempt
    }
  }
}
