import Foundation

/// A fact about a run, recorded as it happened.
///
/// Events contain texts, never the values themselves, so a record doesn't extend the lifetime of values.
public struct FlowEvent: Sendable, Hashable {
  /// The date of the event by the run's clock; a later event may have an earlier date if the clock is set back.
  public internal(set) var date: Date
  /// The date by a clock that was right when the run was created, and is never set: durations are differences of
  /// `time`.
  package internal(set) var time: Date
  /// The subject of the event: a step, an item, the flow, or the bucket.
  public internal(set) var source: Source
  /// The kind of the event, with its details.
  public internal(set) var kind: Kind
  /// The event's number in the run's order, counted from 0; events that a record has left out leave gaps.
  public internal(set) var number: Int
  /// The path of the step that the event is about, or that caused it; `nil` if no step did.
  public package(set) var path: FlowPath?

  /// The number of that step in the run's record; `nil` if no step caused the event.
  public var step: Int? { source.step < 0 ? nil : Int(source.step) }
  /// The number of the step's or item's attempt, counted from 1; attempts beyond 65,535 have that number.
  public var attempt: Int { source.attempt }
  /// True if an attempt failed and will be retried; false for the last attempt, and for events that aren't failures.
  public var isRetried: Bool { source.failure == .retried }
  /// True if the event reports the failure of a last attempt from which the step recovers.
  package var isRecovering: Bool { source.failure == .recovering }
  /// True if the event reports a failure that an event of an inner step has already reported.
  package var isPassedOn: Bool { source.failure == .passedOn }

  package init(date: Date, time: Date? = nil, source: Source, kind: Kind, number: Int, path: FlowPath?) {
    self.date = date
    self.time = time ?? date
    self.source = source
    self.kind = kind
    self.number = number
    self.path = path
  }

  /// A name in the data bucket, with its value's text.
  public struct Item: Sendable, Hashable {
    /// The name, limited to its first 200 characters.
    public let name: String
    /// The value's text, cut at 1,000 characters, or `<redacted>`.
    public let text: String

    package init(name: String, text: String) {
      self.name = name
      self.text = text
    }
  }

  /// The kinds of events in a run.
  public enum Kind: Sendable, Hashable {
    /// The run began, with these values in the bucket.
    case flowStarted([Item])
    /// The run ended, with these values in the bucket.
    indirect case flowFinished(Finish, [Item])
    /// A step or a group's item began.
    case started
    /// A step or a group's item ended.
    case finished(Finish)
    /// A step or an item recovered from the failure of its last attempt, and so succeeded; the failure is given.
    case recovered(Finish)
    /// Work that had timed out and was abandoned has ended; that changes nothing.
    case endedLate(Finish)
    /// An attempt to undo a step or an item began.
    case undoStarted
    /// An attempt to undo a step or an item ended.
    case undoFinished(Finish)
    /// A line was logged; the record has its first 4,000 characters.
    case logged(String, FlowLogLevel)
    /// The step or item reached a step of its own, such as a progression's; the record only has the name of that step.
    case progressed(step: String)
    /// Something isn't as it should be, and the run continues.
    case warned(String)
    /// A new name was written.
    indirect case added(name: String, text: String)
    /// A value replaced another one.
    indirect case replaced(name: String, old: String, new: String)
    /// A name was removed.
    indirect case removed(name: String, old: String)
    /// A group was planned, with this many items.
    case groupCreated(count: Int)
    /// A group whose items arrive one at a time began.
    case groupStarted
    /// A group found an empty array under a name.
    case groupIsEmpty(input: String)
    /// All items of a group have ended, and this many of them produced an output.
    case groupFinished(outputCount: Int)
    /// An item failed in a group that tolerates no more failures.
    case groupStopped
    /// A branch was chosen, described as `key=value`.
    case caseChosen(String)
    /// No branch matched the values of the keys, so the flow, or the flow that is a step, ends there.
    case noCaseMatched(held: String)
    /// The condition of a step isn't met, so the step is skipped; `held` describes the value of its key, if any.
    case skipped(held: String)
    /// The run was paused, so that no new steps start.
    case paused
    /// The run was resumed, so that new steps start again.
    case resumed
    /// Cancellation was requested.
    case cancelRequested
    /// The record has left out this many events here, including the ends of this many items.
    ///
    /// With no events, it is about items that had ended before a durable run was resumed.
    case leftOut(events: Int, items: Int)
  }

  /// The end of a run, a step or an item.
  public enum Finish: Sendable, Hashable {
    /// The run, the step or the item succeeded.
    case successfully
    /// The step or the item failed with another error, given as its text, at most 1,000 characters.
    case withError(String)
    /// The step asked for a name that isn't in the bucket; the text contains the name.
    case withInsufficientInputData(String)
    /// The step asked for a type that doesn't match the bucket's value; the text describes what was found.
    case withMismatchInputDataType(String)
    /// The run, the step or the item was cancelled.
    case cancelled
  }

  /// Compares all properties of two events.
  public static func == (left: Self, right: Self) -> Bool {
    left.number == right.number && left.date == right.date && left.time == right.time
      && left.source == right.source
      && left.step == right.step && left.attempt == right.attempt
      && left.source.failure == right.source.failure && left.kind == right.kind && left.path == right.path
  }

  /// Hashes the number, the date and the subject of the event.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(number)
    hasher.combine(date)
    hasher.combine(source)
  }
}

extension FlowEvent {
  /// The subject of an event: a name and, in a group, the item's index.
  public struct Source: Sendable, Hashable, CustomStringConvertible {
    /// The name of an operation, a step, a dispatcher, a flow, or of the data bucket.
    public package(set) var name: String
    /// The item's index, or -1.
    private(set) var itemIndex: Int
    /// The step's index in its blueprint, or -1 if the event isn't about a step.
    package var step: Int32
    private(set) var attemptNumber: UInt16
    /// The meaning of the failure, if the event reports one.
    package private(set) var failure: Failure

    /// The raw values are the names in saved records.
    package enum Failure: String, Sendable, CaseIterable {
      /// The work failed on its own, and isn't retried.
      case own
      /// Another attempt follows.
      case retried
      /// The last attempt failed, and a recovery follows.
      case recovering
      /// An inner step failed, or the run failed while the step was open.
      case passedOn
    }

    /// Compares names and items: two sources are equal if they are shown alike.
    public static func == (left: Source, right: Source) -> Bool {
      left.name == right.name && left.itemIndex == right.itemIndex
    }

    /// Hashes the name and the item.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(itemIndex)
    }

    /// The index of the group's item, counted from 0; `nil` outside groups.
    public package(set) var item: Int? {
      get { itemIndex < 0 ? nil : itemIndex }
      set { itemIndex = newValue ?? -1 }
    }

    package internal(set) var attempt: Int {
      get { Int(attemptNumber) }
      set { attemptNumber = UInt16(clamping: newValue) }
    }

    /// The text that a summary shows: `[LoginOp]`, or `[UploadOp #3]` for the third item of a group.
    public var description: String { LineText.escaped(item.map { "[\(name) \($0.itemNumber)]" } ?? "[\(name)]") }

    package func failing(_ failure: Failure) -> Source {
      var source = self
      source.failure = failure
      return source
    }

    /// Returns the source for the same step, with another name and without the item.
    func renamed(_ name: String) -> Source {
      var source = self
      source.name = name
      source.itemIndex = -1
      return source
    }

    static let dataBucket = Source("DataBucket")
    static let record = Source("Record")
  }
}

extension FlowEvent.Source {
  package init(_ name: String, step: Int? = nil, item: Int? = nil, attempt: Int = 1) {
    self.init(
      name: name, itemIndex: item ?? -1, step: step.map(Int32.init(clamping:)) ?? -1,
      attemptNumber: UInt16(clamping: attempt), failure: .own)
  }
}

/// The importance of a logged line.
public enum FlowLogLevel: Int, Sendable, Hashable, Comparable, CaseIterable, CustomStringConvertible {
  /// Useful while looking for a fault.
  case debug
  /// Describes what happens.
  case info
  /// Something isn't as it should be, and the run continues.
  case warning
  /// Something failed.
  case error

  /// The name of the level, such as `warning`, which saved records contain too.
  public var description: String {
    switch self {
    case .debug: "debug"
    case .info: "info"
    case .warning: "warning"
    case .error: "error"
    }
  }

  /// Compares importance.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
