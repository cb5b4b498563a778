/// A piece of work that a report tells of: what the run failed with, a recovery, an undo, or a failure at the end.
package final class ReportedWork: Sendable {
  package enum Kind: Sendable { case failure, recovery, undo, alwaysFailure }

  let kind: Kind
  /// The name of the step or item, as a summary shows it, such as `[words #3]`.
  package let name: String
  package let path: FlowPath?
  package let item: Int?
  package let attempt: Int
  /// The duration of the attempt, if it is what the run failed with.
  let duration: Duration
  /// `nil` for an undo that has succeeded.
  package let error: (any Error)?
  /// The error's text as it was made when it came; `nil` for an error that is asked for it.
  package let errorText: String?
  let isRefusal: Bool
  let step: Int?
  /// What its texts hide; `nil` as long as that isn't known.
  let secrets: SecretTexts?

  package init(
    _ kind: Kind, _ name: String, _ path: FlowPath?, item: Int? = nil, attempt: Int = 1,
    after duration: Duration = .zero, _ error: (any Error)?, text errorText: String? = nil, isRefusal: Bool = false,
    step: Int? = nil, hiding secrets: SecretTexts? = nil
  ) {
    self.kind = kind
    self.name = name
    self.path = path
    self.item = item
    self.attempt = attempt
    self.duration = duration
    self.error = error
    self.errorText = errorText
    self.isRefusal = isRefusal
    self.step = step
    self.secrets = secrets
  }

  /// The failure of a flow as a whole, for which no step is to blame.
  convenience init(
    ofFlow flowName: String, _ error: any Error, path: FlowPath? = nil, after duration: Duration = .zero,
    isRefusal: Bool = false
  ) {
    self.init(.failure, FlowEvent.Source(flowName).description, path, after: duration, error, isRefusal: isRefusal)
  }

  /// The error of what has failed: if it isn't known, it was cancelled.
  var failure: any Error { error ?? FlowError.cancellation }
  var failureText: String { errorText ?? shown(ValueText.describe(error: failure)) }

  /// A text of its error without the secrets that are known: the error itself stays as it was.
  func shown(_ text: String) -> String { secrets?.scrubbing(text) ?? text }

  func hiding(_ hidden: HiddenNames, _ paths: PathTable?, _ secrets: SecretTexts) -> ReportedWork {
    ReportedWork(
      kind, secrets.scrubbing(name), path?.shown(by: paths).scrubbing(secrets), item: item, attempt: attempt,
      after: duration,
      error.map { hidden.hide($0, paths, secrets) }, text: errorText.map(secrets.scrubbing),
      isRefusal: isRefusal, step: step, hiding: secrets.isEmpty ? nil : secrets)
  }
}

extension ReportedWork: CustomReflectable {
  /// The error's text alone: the error itself is the user's, and may show anything.
  package var customMirror: Mirror { Mirror(self, children: ["error": failureText], displayStyle: .class) }
}
