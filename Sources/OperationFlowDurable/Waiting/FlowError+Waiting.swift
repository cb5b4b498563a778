import Foundation
import OperationFlow

extension FlowError.Code {
  /// A step waits for an invalid time or date, such as a negative time.
  public static let invalidWait = Self("invalidWait")
  /// A signal or a cancellation was sent to a run that can't accept it, such as one that has ended or not begun.
  public static let runNotWaiting = Self("runNotWaiting")
  /// A supervisor has no flow with the name of a run's flow, or two flows with the same name.
  public static let unknownFlow = Self("unknownFlow")
  /// A run was suspended while it waits, and continues when it is resumed.
  public static let suspended = Self("suspended")
}

extension FlowError {
  // MARK: Steps that wait

  static let waitsOutsideRun = FlowError(
    .invalidWait, "a step that waits is performed outside a run of this process",
    remedy: "Run its flow with run(id:in:) or start().")

  static func missingDate(_ key: String) -> FlowError {
    FlowError(
      .missingData, "can't find the date <\(ValueText.name(key))> in data bucket, until which the step waits",
      remedy: "Set <\(ValueText.name(key))> in a step that comes before, or give wait(until:) a date.", key: key)
  }

  static func endlessWait(_ key: String) -> FlowError {
    FlowError(
      .invalidWait, "the date <\(ValueText.name(key))> is so far away that the step would never end",
      remedy: "Give it an earlier date, or wait for a signal without a timeout.", key: key)
  }

  static func signalTimedOut(_ name: String, _ time: Duration) -> FlowError {
    FlowError(
      .timedOut, "the signal \(ValueText.name(name)) didn't come within \(DurationText.exact(time))",
      remedy: "Send it in time, allow more time, or give wait(for:continuingAfter:) to go on without it.", key: name)
  }

  /// Returns the error of a message that its step can't accept, for which the run is left to be resumed.
  static func untakeableSignal(_ run: String, _ error: FlowError) -> FlowError {
    guard error.code == .mismatchedData else { return error }
    return FlowError(
      error.code, error.problem,
      remedy:
        "Resume the run under the same id with a flow that waits for a value of that type. If the sender was wrong, "
        + "remove the journal \(shown(Mailbox.id(of: run))) from the store, and send the right value before.",
      key: error.key)
  }

  static func mismatchedSignal(_ name: String, expected: Any.Type, found: String) -> FlowError {
    FlowError(
      .mismatchedData,
      "the signal \(ValueText.name(name)) came with a value of type \(found), which can't be read as "
        + TypeName.of(expected),
      remedy: "Send it with a value of type \(TypeName.of(expected)), by the same FlowSignal that the step waits for.",
      key: name)
  }

  static func unopenedSignal(_ name: String, _ error: (any Error)?) -> FlowError {
    let reason =
      error.map { "its FlowSealing can't decrypt it: \(TypeName.of(type(of: $0)))" } ?? "it has no FlowSealing"
    return FlowError(
      .missingData, "the run can't read the signal \(ValueText.name(name)), which was sent encrypted, for \(reason)",
      remedy: "Resume it under the same id with the FlowSealing that the sender has.", key: name)
  }

  static let suspended = FlowError(
    .suspended, "the run was suspended while it waits", remedy: "It continues when it is resumed under the same id.")

  // MARK: Sending

  static func reservedIdentifier(_ id: String) -> FlowError {
    FlowError(
      .storeFailed, "\(shown(id)) is the identifier of a mailbox or a supervisor, so no run can have it",
      remedy: "Give the run an id that doesn't end in .signals, and isn't .supervisor.")
  }

  static func unknownRun(_ id: String) -> FlowError {
    FlowError(
      .runNotWaiting, "no run \(shown(id)) has begun in this store",
      remedy: "Check the id and the store, or send with beforeItBegins: true if it is yet to begin.")
  }

  static func endedRun(_ id: String) -> FlowError {
    FlowError(
      .runNotWaiting, "the run \(shown(id)) has ended, and takes no signals any more",
      remedy: "Start a run under another id if there is more to do.")
  }

  static func endedBeforeCancellation(_ id: String) -> FlowError {
    FlowError(
      .runNotWaiting, "the run \(shown(id)) has ended, and can't be cancelled any more",
      remedy: "See how it ended with storedRun(_:). What it has done can be undone only by another run.")
  }

  static let waitsForNoSignal = FlowError(
    .runNotWaiting, "the run has ended, or no step of its flow waits for a signal",
    remedy: "Send signals to runs whose flows have wait(for:), while they are under way.")

  static func unsealedSignal(_ name: String) -> FlowError {
    FlowError(
      .missingData, "the signal \(ValueText.name(name)) is sensitive, and a store keeps its value only encrypted",
      remedy: "Give send(_:_:to:sealing:) the FlowSealing that the run has.", key: name)
  }

  static func damagedMailbox(_ run: String, _ error: FlowError) -> FlowError {
    FlowError(
      .unreadableJournal, "the signals that were sent to the run \(shown(run)) can't be read: \(error.problem)",
      remedy:
        "Remove the journal \(shown(Mailbox.id(of: run))) from the store, send the signals again, and resume the run "
        + "under the same id.")
  }

  static func unreadableMailbox(_ run: String, _ error: any Error) -> FlowError {
    let cause = storeError(error)
    return FlowError(
      cause.code, "the signals that were sent to the run \(shown(run)) can't be read: \(cause.problem)",
      remedy:
        "See to it that this user can read the journal \(shown(Mailbox.id(of: run))), and resume the run under the "
        + "same id: it is left as it was.")
  }

  static func unnoticedSignal(_ name: String, _ message: String, to run: String, _ error: any Error) -> FlowError {
    FlowError(
      .storeFailed,
      "the signal \(ValueText.name(name)) is kept for the run \(shown(run)), but its supervisor can't be notified: "
        + storeError(error).problem,
      remedy:
        "Send it again with the messageID \(shown(message)), unless the run has ended by then: it arrives once, and the "
        + "supervisor is notified.",
      key: name)
  }

  static func fullMailbox(_ run: String, _ limit: Int) -> FlowError {
    FlowError(
      .storeFailed, "the run \(shown(run)) has been sent \(limit) signals, and can be sent no more",
      remedy: "Let one run be sent fewer signals, or put many values into one.")
  }

  // MARK: The supervisor

  static func unknownFlow(_ name: String) -> FlowError {
    FlowError(
      .unknownFlow, "the supervisor has no flow with the name \"\(ValueText.name(name))\"",
      remedy: "Give it to FlowSupervisor, or begin a run of one that it has.", flow: name)
  }

  static func unknownFlow(_ name: String, of id: String) -> FlowError {
    FlowError(
      .unknownFlow,
      "the run \(shown(id)) is one of the flow \"\(ValueText.name(name))\", which the supervisor doesn't know",
      remedy: "Give FlowSupervisor a flow with that name, or remove the run's journal if it isn't wanted any longer.",
      flow: name)
  }

  static func sameNames(_ name: String) -> FlowError {
    FlowError(
      .unknownFlow, "a supervisor was given two flows with the name \"\(ValueText.name(name))\"",
      remedy: "Give each flow a name of its own: a journal tells only the name of its flow.", flow: name)
  }

  static func secondSupervisor(_ error: FlowError) -> FlowError {
    FlowError(
      .runInUse, "another supervisor looks after the runs of this store: \(error.problem)",
      remedy: "Let one process at a time have a supervisor of a store.")
  }
}
