/// The failure of a task that an engine asked for, in the form that engines accept: a short name and a longer cause.
public struct FlowTaskFailure: Error, Sendable, Hashable {
  /// The name by which an engine distinguishes failures; at most 256 characters.
  public let name: String
  /// The problem and the remedy; at most 32,000 characters, because of the limits of engines.
  public let cause: String
  /// True if another attempt may succeed.
  public let mayBeRetried: Bool

  /// The name of a failure that another attempt can't change; exported flows never retry it.
  public static let finalName = "OperationFlow.Final"
  /// The name of the failure of work that ended early with its worker; exported flows give the work to another worker.
  public static let stoppedName = "OperationFlow.Stopped"
  /// The name of every other failure.
  public static let failedName = "OperationFlow.Failed"

  /// Creates a failure.
  ///
  /// - Parameters:
  ///   - cause: The problem and the remedy; cut to 32,000 characters.
  ///   - mayBeRetried: True if another attempt may succeed.
  public init(cause: String, mayBeRetried: Bool) {
    self.name = mayBeRetried ? Self.failedName : Self.finalName
    self.cause = cause.utf16.count <= 32_000 ? cause : String(cause.unicodeScalars.prefix(16_000)) + " …"
    self.mayBeRetried = mayBeRetried
  }
  /// Creates the failure of work that was cancelled because its worker stops.
  ///
  /// - Parameter cause: The problem.
  init(stopped cause: String) {
    name = Self.stoppedName
    self.cause = cause
    mayBeRetried = true
  }
}
