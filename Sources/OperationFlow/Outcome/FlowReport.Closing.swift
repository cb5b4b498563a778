extension FlowReport {
  /// An undo of a step or an item, and its result.
  public struct Undo: Sendable, CustomStringConvertible {
    /// The name of the step or item, as a summary shows it, such as `[words #3]`.
    public let name: String
    /// The place of the step in its flow.
    public internal(set) var path: FlowPath?
    /// The index of the group's item; `nil` outside groups.
    public let item: Int?
    /// The number of attempts.
    public let attempts: Int
    /// The error of the last attempt; `nil` if it succeeded.
    public internal(set) var error: (any Error)?
    /// The error's text as it was made when it came; `nil` for an error that is asked for it.
    package var errorText: String?

    /// The name of the step or item, and the reason if it could not be undone.
    public var description: String {
      error.map { "\(name) could not be undone: \(errorText ?? ValueText.describe(error: $0))" } ?? "\(name) was undone"
    }

    /// Removes what is sensitive.
    mutating func hide(_ hidden: HiddenNames, _ paths: PathTable?) {
      var shown = error ?? FlowError.cancellation
      hidden.hide(&path, &shown, paths)
      if error != nil { error = shown }
    }
  }

  /// A failure among the steps that run at the end, whatever happened.
  public struct AlwaysFailure: Sendable, CustomStringConvertible {
    /// The name of the step or item that failed, as a summary shows it.
    public let name: String
    /// The place of the step in its flow.
    public internal(set) var path: FlowPath?
    /// The index of the group's item; `nil` outside groups.
    public let item: Int?
    /// The error; one with the code `cancelled` if the step ended as cancelled.
    public internal(set) var error: any Error
    /// The error's text as it was made when it came; `nil` for an error that is asked for it.
    package var errorText: String?
    /// The step's place in its blueprint.
    package let step: Int

    /// The name of the step or item that failed, and the error.
    public var description: String {
      "\(name) failed at the end: \(errorText ?? ValueText.describe(error: error))"
    }

    /// Removes what is sensitive.
    mutating func hide(_ hidden: HiddenNames, _ paths: PathTable?) { hidden.hide(&path, &error, paths) }
  }

  /// The undos after a failure or a cancellation, in their order, with the error of each undo that failed.
  public var undos: [Undo] { facts.undos }

  /// The failures of steps that run at the end, whatever happened, in the order in which they came.
  public var alwaysFailures: [AlwaysFailure] { facts.alwaysFailures }
}

extension RunFacts {
  /// What the last line of a summary says about undos and about steps that always run; empty if there is nothing to say.
  var closingText: String {
    let failed = undos.count { $0.error != nil }
    var texts: [String] = []
    if failed > 0 { texts.append("\(failed) could not be undone") }
    if undos.count > failed { texts.append("\(undos.count - failed) undone") }
    // The first one may be what the whole run has failed with, and is shown already.
    for failure in alwaysFailures where !isDecision(failure) { texts.append(failure.description) }
    return texts.map { ", " + $0 }.joined()
  }

  private func isDecision(_ always: FlowReport.AlwaysFailure) -> Bool {
    (decision?.earlier ?? decision)?.failure?.step == always.step
  }
}
