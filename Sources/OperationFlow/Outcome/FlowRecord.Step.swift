extension FlowRecord {
  /// A step of the flow, or a branch of one, with its state.
  public struct Step: Sendable, Hashable, Identifiable {
    /// The number of the step, to which events refer; the same in every run of the same flow.
    public let id: Int
    /// The ``id`` of the step or branch that contains this one; `nil` at the outermost level.
    public let parent: Int?
    /// The name of the step; for a branch of cases, its condition, such as `target=web`.
    public let name: String
    /// The position of the step in its block, counted from 1; `nil` for a branch.
    public let number: Int?
    /// The kind of the step.
    public let kind: Kind
    /// The path of the step in its flow.
    public let path: FlowPath
    /// The names of the values that the step declares to read.
    public let inputs: [String]
    /// The names of the values that the step declares to write.
    public let outputs: [String]
    /// The options of the step.
    public let options: Set<Option>
    /// The state of the step.
    public let state: State
    /// The duration of the step and everything within it; `nil` if the step has not ended, or began before a resume.
    public let duration: Duration?
    /// The part of the step before a durable run was resumed; `nil` if there was none.
    public let beforeResume: FlowReport.BeforeResume?
    /// The number of attempts; 0 if the step never began.
    public let attempts: Int
    /// The counts of a group's items; `nil` for other steps, and if the items are not known.
    public let items: FlowReport.Items?
    /// The counts of undos, recoveries and retries; `nil` if all are zero, or if an earlier version saved the record.
    package let followUps: FollowUps?

    package init(
      id: Int, parent: Int?, name: String, number: Int?, kind: Kind, path: FlowPath, inputs: [String] = [],
      outputs: [String] = [], options: Set<Option> = [], state: State, duration: Duration? = nil,
      beforeResume: FlowReport.BeforeResume? = nil, attempts: Int = 0, items: FlowReport.Items? = nil,
      followUps: FollowUps? = nil
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
      self.followUps = followUps
    }
  }

  /// The kind of a step: the work that it does, or the steps that it contains.
  ///
  /// Later versions may add cases, so a `switch` over them needs a `default`.
  public enum Kind: Sendable, Hashable {
    /// The step runs an operation of the class with this name.
    case operation(type: String)
    /// The step runs a closure.
    case closure
    /// The step runs some work for each item, at most `width` at once; `stopText` is the event's text if the group
    /// stops.
    case group(width: Int, stopText: String?)
    /// The step runs one of several branches.
    case cases
    /// A branch of cases or of a parallel step.
    case branch
    /// The step runs the steps of another flow.
    case flow
    /// The step runs several branches at once.
    case parallel
    /// The steps within this one always run, at the end of the run.
    case always
    /// The step has a kind that this version of the library doesn't have.
    case other(String)

    /// The text of a group's event if it stops; `nil` if it tolerates no failure, and for other steps.
    var stopText: String? { if case .group(_, let stopText) = self { stopText } else { nil } }
  }

  /// An option of a step.
  public enum Option: String, Sendable, Hashable, CaseIterable {
    /// The step can be undone.
    case undo
    /// A condition may skip the step.
    case condition
    /// The step may be tried again.
    case retry
    /// The step has a time limit.
    case timeout
    /// The step only waits, for a time or a signal.
    case wait
  }

  /// The state of a step.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// The run is under way, and has not reached the step.
    case waiting
    /// The step has begun, and has not ended.
    case running
    /// The step succeeded; a branch succeeds if it was chosen and everything in it has succeeded.
    case succeeded
    /// The step failed, or contains the step that made the run fail.
    case failed
    /// The step was cancelled.
    case cancelled
    /// The step's condition was not met, or the step is in a branch that was not chosen.
    case skipped
    /// The run ended before the step began.
    case neverRan
  }
}

/// The numbers of consequences of a step's or its items' failures, whatever the record contains.
package struct FollowUps: Sendable, Hashable {
  package var undone: Int
  package var notUndone: Int
  package var recovered: Int
  /// The number of items that were retried.
  package var retriedItems: Int
  /// The number of attempts of all items together.
  package var itemAttempts: Int

  package init(undone: Int = 0, notUndone: Int = 0, recovered: Int = 0, retriedItems: Int = 0, itemAttempts: Int = 0) {
    self.undone = undone
    self.notUndone = notUndone
    self.recovered = recovered
    self.retriedItems = retriedItems
    self.itemAttempts = itemAttempts
  }
}
