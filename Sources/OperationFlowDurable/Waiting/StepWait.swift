import Foundation
import OperationFlow

/// The wait of a step: for a time, until a date, or for a signal.
struct StepWait: StepFeature {
  enum Kind: Sendable {
    case time(Duration)
    case date(Date)
    /// The date is the value of a key.
    case keyDate(FlowKey<Date>)
    case signal(AwaitedSignal)
  }

  let kind: Kind

  /// The name of a step that wasn't given one.
  var ownName: String {
    switch kind {
    case .time(let time): "wait \(DurationText.exact(time))"
    case .date: "wait until a date"
    case .keyDate(let key): "wait until \(key.name)"
    case .signal(let signal): "wait for \(signal.name)"
    }
  }

  /// The longest time that a step can wait: 100 years.
  static let longest = Duration.seconds(100 * 365 * 86_400)

  var marks: StepMarks { .wait }

  /// The longest time of the wait; `nil` for a date, and for a signal without a timeout.
  var time: Duration? {
    switch kind {
    case .time(let time): time
    case .signal(let signal): signal.timeout
    case .date, .keyDate: nil
    }
  }

  var mistake: FlowError? {
    var time = time
    if case .date(let date) = kind, date >= .distantFuture { time = .seconds(Int64.max) }
    guard let time else { return nil }
    if time < .zero {
      return FlowError(.invalidWait, "the step waits for \(time)", remedy: "Give wait a time of zero or more.")
    }
    guard time > Self.longest else { return nil }
    return FlowError(
      .invalidWait, "the step waits for more than 100 years",
      remedy: "Give wait a shorter time, or wait for a signal without a timeout.")
  }

  var obstacle: (problem: String, remedy: String)? {
    switch kind {
    case .signal:
      (
        "it waits for a signal, which only runs of this library can be sent.",
        "Let the work of the step before wait for the message, in place of wait(for:)."
      )
    case .keyDate:
      ("it waits until the date of a key, which elsewhere is no date.", "Give wait(until:) the date itself.")
    // Other engines wait for at most three years.
    case .time(let time) where time >= .seconds(99_999_999):
      ("it waits for more than 99,999,999 seconds.", "Give wait a shorter time, or a date.")
    case .time, .date: nil
    }
  }

  var pause: StepPause? {
    switch kind {
    case .time(let time): .time(time)
    case .date(let date): .date(date)
    case .keyDate, .signal: nil
    }
  }

  /// The signal for which the step waits; `nil` if it waits for a time or a date.
  var signal: AwaitedSignal? { if case .signal(let signal) = kind { signal } else { nil } }

  func makeWaits() -> (any RunWaits)? { WaitingRoom() }
}

/// A signal that a step waits for.
struct AwaitedSignal: Sendable {
  let name: String
  let timeout: Duration?
  /// True if the flow declares the value of the signal as sensitive.
  let isSensitive: Bool
  /// True if the step succeeds without a value when its time is over.
  let continues: Bool
  /// Writes the value of a signal that has arrived; throws an error if the value has another type.
  let accept: @Sendable (SignalMessage, WaitOperation) throws(FlowError) -> Void

  init<Value>(_ signal: FlowSignal<Value>, timeout: Duration?, continues: Bool) {
    (name, isSensitive, self.timeout, self.continues) = (signal.name, signal.isSensitive, timeout, continues)
    accept = { message, operation throws(FlowError) in
      operation.setData(name: signal.key, value: try message.value(as: Value.self, of: signal.name))
    }
  }
}
