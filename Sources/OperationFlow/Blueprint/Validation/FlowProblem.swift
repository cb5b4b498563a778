/// Something that is wrong with a flow, found before it runs.
public struct FlowProblem: Sendable, CustomStringConvertible {
  /// How bad a problem is.
  public enum Severity: String, Sendable, Hashable {
    /// The flow runs, but hardly as it was meant to.
    case warning
    /// The flow is refused: on some path it would fail.
    case error
  }

  /// How bad it is.
  public let severity: Severity
  /// The kind of failure that it would be.
  public let code: FlowError.Code
  /// Where it is: the step's place in the flow, such as `2. Cases > target=web > 1. ResizeOp`.
  public let path: FlowPath
  /// What is wrong, in a sentence.
  public let problem: String
  /// What to do about it, in a sentence.
  public let remedy: String
  /// The key that it is about, if it is about one.
  public let key: String?

  init(
    _ severity: Severity, _ code: FlowError.Code, at path: FlowPath, _ problem: String, remedy: String,
    key: String? = nil
  ) {
    self.severity = severity
    self.code = code
    self.path = path
    self.problem = problem
    self.remedy = remedy
    self.key = key
  }

  /// All of it in a line.
  public var description: String { "\(severity): \(path): \(problem) \(remedy)" }
}

extension FlowError {
  /// How many problems the text of a refusal lists; the rest are counted.
  private static let listedProblemCount = 20

  /// The error of a flow that is refused: one problem as itself, several as a list.
  init(_ problems: [FlowProblem]) {
    if let only = problems.first, problems.count == 1 {
      self.init(only.code, only.problem, remedy: only.remedy, step: only.path.description, key: only.key)
      path = only.path
    } else {
      let listed = problems.prefix(Self.listedProblemCount)
      let rest = problems.count - listed.count
      let list =
        listed.map { "\n- \($0.path): \($0.problem) \($0.remedy)" }.joined()
        + (rest > 0 ? "\n- and \(rest) more." : "")
      self.init(.invalidFlow, "it has \(problems.count) errors:\(list)", remedy: "Mend them; validate() lists them.")
    }
  }
}
