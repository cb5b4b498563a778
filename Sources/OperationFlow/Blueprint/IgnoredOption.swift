/// A method that was called on a flow, and has no effect if the flow is a part of another one.
struct IgnoredOption: Sendable {
  /// The method's name and labels.
  let method: String
  /// The reason why the method has no effect, in the words of a message.
  let reason: String
  /// A replacement with the intended effect, besides the same call on the flow that is run.
  let alternative: String?

  private init(_ method: String, _ reason: String, or alternative: String? = nil) {
    (self.method, self.reason, self.alternative) = (method, reason, alternative)
  }

  /// An option of a whole run, such as a deadline.
  static func option(_ method: String) -> IgnoredOption { IgnoredOption(method, "it is an option of a whole run") }

  static let data = IgnoredOption("set(_:to:)", "data is the whole run's", or: "write the value in a step")
  static let log = IgnoredOption(
    "log(message:level:)", "the line was logged before the run, whose record begins with those of the flow that is run",
    or: "log the line in a step")
}
