/// A problem with a flow, found before it runs.
public struct FlowProblem: Sendable, CustomStringConvertible {
  /// The severity of a problem.
  public enum Severity: String, Sendable, Hashable {
    /// The flow runs, but probably not as intended.
    case warning
    /// The flow is refused, because on some path it would fail.
    case error
  }

  /// The severity of the problem.
  public let severity: Severity
  /// The path of the step in the flow, such as `2. Cases > target=web > 1. ResizeOp`.
  public private(set) var path: FlowPath
  /// The error that is thrown if the flow is refused because of this problem alone.
  fileprivate var error: FlowError

  init(
    _ severity: Severity, _ code: FlowError.Code, at path: FlowPath, _ problem: String, remedy: String,
    key: String? = nil
  ) {
    self.severity = severity
    self.path = path
    error = FlowError(code, problem, remedy: remedy, step: path.description, path: path, key: key)
  }

  /// Creates a problem of the severity `error`, of a step, or of the flow as a whole.
  init(_ error: FlowError, at path: FlowPath? = nil) {
    severity = .error
    self.path = path ?? "the flow"
    self.error = FlowError(error.code, error.problem + ".", remedy: error.remedy, step: path?.description, path: path)
  }

  /// Returns a copy with every secret in its texts replaced.
  func scrubbing(_ secrets: SecretTexts) -> FlowProblem {
    if secrets.isEmpty { return self }
    var problem = self
    problem.path = path.scrubbing(secrets)
    problem.error = error.hiding(
      { _ in false }, error.path?.table.scrubbing(secrets), scrubbing: secrets.scrubbing)
    return problem
  }

  /// The kind of failure that the problem would cause.
  public var code: FlowError.Code { error.code }

  /// The problem, in a sentence.
  public var problem: String { error.problem }

  /// The remedy, in a sentence.
  public var remedy: String { error.remedy }

  /// The key that the problem is about, if there is one.
  public var key: String? { error.key }

  /// The whole problem in one line.
  public var description: String { "\(severity.rawValue): \(line)" }

  fileprivate var line: String { LineText.escaped("\(path): \(problem) \(remedy)") }
}

extension FlowError {
  /// Creates the error of a flow that is refused: the error of a single problem, or a list of several problems.
  init(_ problems: [FlowProblem]) {
    if problems.count == 1 {
      self = problems[0].error
      return
    }
    let rest = problems.dropFirst(20).count
    let list = problems.prefix(20).map { "\n- " + $0.line }.joined() + (rest > 0 ? "\n- and \(rest) more." : "")
    self.init(
      .invalidFlow, "it has \(problems.count) errors:\(list)", remedy: "Fix them. validate() lists all of them.")
  }
}
