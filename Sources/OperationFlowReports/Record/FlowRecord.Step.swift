import OperationFlow

extension FlowRecord {
  /// A step of the flow, or a branch of one, with what became of it.
  public struct Step: Sendable, Hashable, Identifiable {
    /// Its number, to which events refer; the same in every run of the same flow.
    public let id: Int
    /// The ``id`` of the step or branch that contains it; `nil` at the outermost level.
    public let parent: Int?
    /// Its name; for a branch of cases, its condition, such as `target=web`.
    public let name: String
    /// Its place among the steps beside it, counted from 1; `nil` for a branch.
    public let number: Int?
    /// What it does.
    public let kind: Kind
    /// Its place in its flow.
    public let path: FlowPath
    /// The names of the values that it declares to read.
    public let inputs: [String]
    /// The names of the values that it declares to write.
    public let outputs: [String]
    /// The options that it was added with.
    public let options: Set<Option>
    /// What became of it.
    public let state: State
    /// How long it took, with all that is within it; `nil` if it has not ended, or began before a resume.
    public let duration: Duration?
    /// What of it was before the resume of a durable run; `nil` if nothing was.
    public let beforeResume: FlowReport.BeforeResume?
    /// How many attempts it had; 0 if it never began.
    public let attempts: Int
    /// What became of a group's items; `nil` for other steps, and if the items are not known.
    public let items: Items?

    package init(
      id: Int, parent: Int?, name: String, number: Int?, kind: Kind, path: FlowPath, inputs: [String] = [],
      outputs: [String] = [], options: Set<Option> = [], state: State, duration: Duration? = nil,
      beforeResume: FlowReport.BeforeResume? = nil, attempts: Int = 0, items: Items? = nil
    ) {
      self.id = id
      self.parent = parent
      self.name = name
      self.number = number
      self.kind = kind
      self.path = path
      self.inputs = inputs
      self.outputs = outputs
      self.options = options
      self.state = state
      self.duration = duration
      self.beforeResume = beforeResume
      self.attempts = attempts
      self.items = items
    }
  }

  /// What a step does.
  ///
  /// Later versions may add cases, so a `switch` over them needs a `default`.
  public enum Kind: Sendable, Hashable {
    /// It runs an operation of the class with this name.
    case operation(type: String)
    /// It runs a closure.
    case closure
    /// It runs some work for each item, at most `width` at once; `stopText` is the event's text if the group stops.
    case group(width: Int, stopText: String?)
    /// It takes one of several branches.
    case cases
    /// It is a branch of cases or of a parallel step.
    case branch
    /// It runs the steps of another flow.
    case flow
    /// It runs several branches at once.
    case parallel
    /// Its steps run at the end of the run, whatever happened.
    case always
    /// It does something that this version of the library doesn't know.
    case other(String)
  }

  /// An option of a step.
  public enum Option: String, Sendable, Hashable, Codable, CaseIterable {
    /// It can be undone.
    case undo
    /// A condition may skip it.
    case condition
    /// It may be tried again.
    case retry
    /// It has a time limit.
    case timeout
    /// It does nothing but wait, for a time or a signal.
    case wait
  }

  /// What became of a step.
  public enum State: String, Sendable, Hashable, Codable, CaseIterable {
    /// The run is under way, and has not reached it.
    case waiting
    /// It has begun, and has not ended.
    case running
    /// It succeeded, or is a branch that was taken and all of which has succeeded.
    case succeeded
    /// It failed, or contains the step that the run failed with.
    case failed
    /// It was cancelled.
    case cancelled
    /// Its condition was not met, or it is in a branch that was not taken.
    case skipped
    /// The run ended before it.
    case neverRan
  }

  /// How many items a group had, and what became of them.
  public struct Items: Sendable, Hashable, Codable {
    /// How many there are; `nil` if that isn't known.
    public let total: Int?
    /// How many have succeeded.
    public let succeeded: Int
    /// How many have failed.
    public let failed: Int
    /// How many were cancelled.
    public let cancelled: Int

    package init(total: Int?, succeeded: Int, failed: Int, cancelled: Int) {
      (self.total, self.succeeded, self.failed, self.cancelled) = (total, succeeded, failed, cancelled)
    }
  }
}

extension FlowRecord.Items {
  /// Decodes the counts of a group's items.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The decoder's errors, and a `DecodingError` if a count is negative or too large to be one.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      total: try container.decodeIfPresent(in: SavedNumbers.counts, forKey: .total),
      succeeded: try container.decode(in: SavedNumbers.sums, forKey: .succeeded),
      failed: try container.decode(in: SavedNumbers.sums, forKey: .failed),
      cancelled: try container.decode(in: SavedNumbers.sums, forKey: .cancelled))
  }
}
