import Foundation

/// An error in a flow: the problem, its place, and the remedy.
///
/// Errors of your own operations aren't wrapped: ``Flow/error`` is the error that was passed to
/// ``FlowOperation/finishWithError(error:)``, or thrown.
public struct FlowError: Error, Sendable, CustomStringConvertible, LocalizedError {
  /// The kinds of failure.
  ///
  /// Later versions may add more, so a `switch` over them needs a `default`.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The code's name.
    public let description: String

    package init(_ description: String) { self.description = description }

    /// A requested name isn't in the data bucket.
    public static let missingData = Code("missingData")
    /// The value under a name has a different type than the requested one.
    public static let mismatchedData = Code("mismatchedData")
    /// The flow, or the operation, was cancelled.
    public static let cancelled = Code("cancelled")
    /// An operation object was about to run a second time.
    public static let operationUsedTwice = Code("operationUsedTwice")
    /// A group's width is below 1.
    public static let invalidWidth = Code("invalidWidth")
    /// A group's tolerance is a number below 0, or a share that isn't from 0 to 1.
    public static let invalidTolerance = Code("invalidTolerance")
    /// A limiter's number is below 1, or its period isn't above zero.
    public static let invalidLimit = Code("invalidLimit")
    /// An operation depends on one that can't end before it does.
    public static let unmeetableDependency = Code("unmeetableDependency")
    /// The declared inputs and outputs of a class can't be found, because it was built without reflection metadata.
    public static let hiddenPorts = Code("hiddenPorts")
    /// An operation returned without finishing, and nothing is left that could finish it.
    public static let neverFinished = Code("neverFinished")
    /// A flow has several errors, all found before it ran.
    public static let invalidFlow = Code("invalidFlow")
    /// A flow has no steps.
    public static let emptyFlow = Code("emptyFlow")
    /// Cases aren't combined although a later step needs them to be, or `combine()` has no cases to combine.
    public static let misplacedCombine = Code("misplacedCombine")
    /// A branch can never be chosen.
    public static let unreachableCase = Code("unreachableCase")
    /// A group's operation doesn't declare its primary keys.
    public static let missingPrimaryKeys = Code("missingPrimaryKeys")
    /// Cases without an `otherwise` are followed by steps, which don't run if no case matches.
    public static let incompleteCases = Code("incompleteCases")
    /// A parallel step has no branches.
    public static let emptyParallel = Code("emptyParallel")
    /// Nothing was added to a branch, or to what always runs at the end.
    public static let emptyBranch = Code("emptyBranch")
    /// An option or data of a whole run was given to a branch or an inner flow, where it has no effect.
    public static let misplacedOption = Code("misplacedOption")
    /// Several branches of a parallel step have the same name.
    public static let repeatedBranch = Code("repeatedBranch")
    /// Several branches of a parallel step may write the same key at the same time.
    public static let concurrentWrites = Code("concurrentWrites")
    /// A value is set under a name that no step reads.
    public static let unreadData = Code("unreadData")
    /// A step's condition can never be met.
    public static let unmetCondition = Code("unmetCondition")
    /// A step has a trait more than once, and only the last one counts.
    public static let repeatedTrait = Code("repeatedTrait")
    /// An operation overrides none of the methods that do its work.
    public static let notImplemented = Code("notImplemented")
    /// An attempt exceeded its time limit.
    public static let timedOut = Code("timedOut")
    /// The run exceeded its deadline.
    public static let deadlineExceeded = Code("deadlineExceeded")
    /// A number of attempts, a delay or a factor of a retry policy, or a retry budget, makes no sense.
    public static let invalidRetry = Code("invalidRetry")
    /// A time limit isn't longer than zero.
    public static let invalidTimeout = Code("invalidTimeout")
    /// A store could not save, load or remove something, such as the journal of a run or the step of a progression.
    public static let storeFailed = Code("storeFailed")
    /// A durable run, or another engine, can't store a value, such as one whose type isn't `Codable`.
    public static let valueNotStorable = Code("valueNotStorable")
    /// The process has ended in each allowed attempt at a step, an item or an undo of a durable run.
    public static let processEnded = Code("processEnded")
  }

  /// The kind of failure.
  public private(set) var code: Code
  /// The problem, in a sentence.
  public private(set) var problem: String
  /// The text shown instead once the key is sensitive; `nil` if the text shows nothing of the key's value.
  private(set) var hiddenProblem: String?
  /// The remedy, in a sentence.
  public private(set) var remedy: String
  /// The flow's name, if it is known.
  public private(set) var flow: String?
  /// The step's name, if it is known.
  public private(set) var step: String?
  /// The step's path in its flow, if it is known.
  public private(set) var path: FlowPath?
  /// The number of the step's attempt, counted from 1, if it is known.
  public private(set) var attempt: Int?
  /// The key that the failure is about, if there is one.
  public private(set) var key: String?

  package init(
    _ code: Code, _ problem: String, remedy: String, flow: String? = nil, step: String? = nil, path: FlowPath? = nil,
    attempt: Int? = nil, key: String? = nil, hiddenProblem: String? = nil
  ) {
    self.code = code
    self.problem = problem
    self.hiddenProblem = hiddenProblem
    self.remedy = remedy
    self.flow = flow
    self.step = step
    self.path = path
    self.attempt = attempt
    self.key = key
  }

  /// The place of the error, the problem, and the remedy.
  public var description: String {
    let place = [flow.map { "flow \"\($0)\"" }, step.map { "step \($0)" }].compactMap(\.self).joined(separator: ", ")
    return (place.isEmpty ? "" : place + ": ") + advice
  }

  /// The problem and the remedy, for texts that already contain the place.
  var advice: String { problem + (problem.hasSuffix(".") ? " " : ". ") + remedy }

  /// The error's `description`, for code that reads `localizedDescription`.
  public var errorDescription: String? { description }

  /// Returns a copy with this place, unless the error already has one.
  package func located(flow: String, step: String?, path: FlowPath? = nil, attempt: Int? = nil) -> FlowError {
    var error = self
    error.flow = self.flow ?? flow
    error.step = self.step ?? step
    error.path = self.path ?? path
    error.attempt = self.attempt ?? attempt
    return error
  }

  /// Returns a copy with another sentence after its remedy, unless the remedy already ends with the sentence.
  package func advising(_ sentence: String) -> FlowError {
    if remedy.hasSuffix(sentence) { return self }
    var error = self
    error.remedy += " " + sentence
    return error
  }

  /// Returns a copy without the values of sensitive keys, in its texts and in its path.
  package func hiding(
    _ isHidden: (_ name: String) -> Bool, _ paths: PathTable? = nil, scrubbing scrub: (String) -> String
  ) -> FlowError {
    var shown = self
    if let key, let hiddenProblem, isHidden(ValueText.name(key)) { shown.problem = hiddenProblem }
    shown.problem = scrub(shown.problem)
    shown.hiddenProblem = hiddenProblem.map(scrub)
    shown.remedy = scrub(remedy)
    shown.flow = flow.map(scrub)
    shown.step = step.map(scrub)
    shown.key = key.map(scrub)
    if let path { shown.path = path.node == nil ? FlowPath(scrub(path.description)) : path.shown(by: paths) }
    return shown
  }

  package static let cancellation = FlowError(
    .cancelled, "it was cancelled", remedy: "Start the flow again if the work is still wanted.")

  static func usedTwice(_ step: String) -> FlowError {
    FlowError(
      .operationUsedTwice, "the operation of this step is already running, or has run",
      remedy: "Make a new operation for every run: add(\(step)()) without a label makes one when the step is reached.",
      step: step)
  }

  /// The error of an operation that a closure returned instead of creating a new one; `type` is its class.
  static func madeBefore(_ step: String, type: String) -> FlowError {
    FlowError(
      .operationUsedTwice, "the call that makes this step's operation returned one that is already running, or has run",
      remedy: "Make it inside the call: add(\(type)()), or a new one in create(), not one that a variable holds.",
      step: step)
  }

  /// The error of an operation that waits for one that can't end before it; `other` is `nil` for one outside the flow.
  static func unmeetableDependency(on other: String?, isItself: Bool = false) -> FlowError {
    FlowError(
      .unmeetableDependency,
      isItself
        ? "It depends on itself"
        : "It depends on \(other ?? "an operation outside the flow"), which can't end before it does",
      remedy: "Remove the dependency, because it would wait forever: the steps of a flow run in order without any.")
  }

  /// The error of an attempt, or of all attempts of a step together, that exceeded its time limit.
  static func timedOut(_ time: Duration, attempts: Int? = nil) -> FlowError {
    let problem = "it took longer than \(DurationText.exact(time))"
    return FlowError(
      .timedOut, attempts.map { "all in all, \(problem), in \(ValueText.count($0, "attempt"))" } ?? problem,
      remedy: "Allow more time, or find out what it waits for.")
  }

  static func deadlineExceeded(_ time: Duration) -> FlowError {
    FlowError(
      .deadlineExceeded, "the run took longer than its deadline of \(DurationText.exact(time))",
      remedy: "Allow more time with deadline(_:), or see in report.steps what took it.")
  }

  /// The error of a result that doesn't fit its work: a fault of the library itself.
  static let unexpectedResult = FlowError(
    .notImplemented, "a step was given a result that doesn't fit its work",
    remedy: "This is a fault in OperationFlow: please report it with the flow's summary.")

  static func hiddenPorts(of type: String) -> FlowError {
    FlowError(
      .hiddenPorts,
      "\(type) declares @FlowInput or @FlowOutput properties that can't be found: it was built without reflection metadata",
      remedy: "Build its module without -disable-reflection-metadata, or use getData(name:) and setData(name:value:).")
  }

  static func invalidWidth(_ width: Int) -> FlowError {
    FlowError(.invalidWidth, "the group's width is \(width)", remedy: "Give the group a width of at least 1.")
  }
}

extension Error {
  /// The error as a ``FlowError``; `nil` if it is another one.
  package var flowError: FlowError? { mayBe(FlowError.self) ? self as? FlowError : nil }

  /// Returns true if the error is a ``FlowError`` with this code.
  package func has(_ code: FlowError.Code) -> Bool { mayBe(FlowError.self) && (self as? FlowError)?.code == code }

  /// True for a `CancellationError`, and for a ``FlowError`` with the code ``FlowError/Code/cancelled``.
  package var isCancellation: Bool {
    mayBe(CancellationError.self) && self is CancellationError || has(.cancelled)
  }

  /// Returns false if a cast to the type can only fail, at a tenth of the cost of the cast.
  ///
  /// Generic code can throw a box of any error, so a box isn't ruled out.
  private func mayBe(_ type: any Error.Type) -> Bool { Self.self == type || Self.self == (any Error).self }
}
