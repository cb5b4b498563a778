import Foundation

/// One fact about a run, as it happened.
///
/// Events hold texts, never the values themselves: a record keeps nothing alive.
public struct FlowEvent: Sendable {
  private let recorded: RecordedEvent
  /// The paths of the run's steps.
  private let paths: PathTable?

  init(_ recorded: RecordedEvent, paths: PathTable?) {
    self.recorded = recorded
    self.paths = paths
  }

  /// When it happened.
  public var date: Date { recorded.date }
  /// What it is about.
  public var source: Source { recorded.source }
  /// What happened.
  public var kind: Kind { recorded.kind }
  /// Its number in the run's order, counted from 0; events that a record has left out leave gaps.
  public var number: Int { recorded.number }
  /// The path of the step that it is about, or that did it; `nil` if no step did.
  public var path: FlowPath? { recorded.step < 0 ? nil : paths?.path(of: Int(recorded.step)) }
  /// The number of the step's or item's attempt, counted from 1; those beyond 65,535 have that number.
  public var attempt: Int { recorded.source.attempt }
  /// Whether an attempt failed and another one follows; `false` for the last attempt, and for whatever is no failure.
  public var isRetried: Bool { recorded.source.failure == .retried }
  /// Whether it tells of a failure that another event has told of: that of a step within.
  var isPassedOn: Bool { recorded.source.failure == .passedOn }

  /// A name in the data bucket, with its value's text.
  public struct Item: Sendable, Hashable {
    /// The name, of which the first 200 characters are kept.
    public let name: String
    /// The value's text, cut at 1,000 characters, or `<redacted>`.
    public let text: String
  }

  /// What can happen in a run.
  public enum Kind: Sendable, Hashable {
    /// The run began, with these values in the bucket.
    case flowStarted([Item])
    /// The run ended, with these values in the bucket.
    indirect case flowFinished(Finish, [Item])
    /// A step or a group's item began.
    case started
    /// A step or a group's item ended.
    case finished(Finish)
    /// Somebody logged a line, of which the first 4,000 characters are kept.
    case logged(String, FlowLogLevel)
    /// The step or item has come to a step of its own, such as a progression's; only that step's name is kept.
    case progressed(step: String)
    /// Something is not as it should be, and the run goes on.
    case warned(String)
    /// A name was written that was not there before.
    indirect case added(name: String, text: String)
    /// A value took the place of another.
    indirect case replaced(name: String, old: String, new: String)
    /// A name was removed.
    indirect case removed(name: String, old: String)
    /// A group was planned, with this many items.
    case groupCreated(count: Int)
    /// A group whose items come one after the other began.
    case groupStarted
    /// A group found an empty array under a name.
    case groupIsEmpty(input: String)
    /// All items of a group have ended, and this many of them left an output.
    case groupFinished(outputCount: Int)
    /// An item failed in a group that tolerates no more failures.
    case groupStopped
    /// A branch was chosen, described as `key=value`.
    case caseChosen(String)
    /// No branch fitted what the keys held; the flow, or the flow that is a step, ends there.
    case noCaseMatched(held: String)
    /// New steps are held back.
    case paused
    /// New steps start again.
    case resumed
    /// Cancelling was asked for.
    case cancelRequested
    /// The record has left out this many events here, and with them the ends of this many items.
    case leftOut(events: Int, items: Int)
  }

  /// How a run, a step or an item ended.
  public enum Finish: Sendable, Hashable {
    /// It succeeded.
    case successfully
    /// It failed with another error, given as its text, at most 1,000 characters.
    case withError(String)
    /// It asked for a name that the bucket does not hold; the text says which.
    case withInsufficientInputData(String)
    /// It asked for a type that the bucket's value is not of; the text says what was found.
    case withMismatchInputDataType(String)
    /// It was cancelled.
    case cancelled
  }
}
