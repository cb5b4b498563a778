/// What has to be true so that a step runs.
package final class StepCondition: Sendable {
  /// The key that must hold a value of its type, if the condition names one.
  package let input: StepPort?
  /// The same as a branch's condition, if it compares the key with a value.
  package let flowCase: FlowCase?
  private let test: @Sendable (DataBucket) throws -> Bool

  init(
    on input: StepPort? = nil, as flowCase: FlowCase? = nil, _ test: @escaping @Sendable (DataBucket) throws -> Bool
  ) {
    self.input = input
    self.flowCase = flowCase
    self.test = test
  }

  /// It calls user code, so no lock may be held.
  package func isMet(by bucket: DataBucket) throws -> Bool {
    if let input { try bucket.refuseUnavailable(input.name) }
    return try test(bucket)
  }

  /// What its key holds; `nil` if it names none.
  func held(in bucket: DataBucket) -> RedactableTexts.Part? {
    input.map { input in bucket.describe(input.name, as: input.type ?? Any.self, accepts: input.accepts) }
  }
}

extension DataBucket {
  /// What a name holds, in a sentence, with the type that it should have if it has another one.
  func describe(_ key: String, as type: Any.Type, accepts: (any Sendable) -> Bool) -> RedactableTexts.Part {
    let name = ValueText.name(key)
    guard let value = value(named: key) else {
      let text = "<\(name)> is missing."
      return RedactableTexts.Part(name: name, text: .made(text), hidden: text)
    }
    let mismatch = accepts(value) ? "" : " with type <\(foundType(of: value).name)>, but NOT type <\(type)>"
    let hidden = "<\(name)> is \(ValueText.redacted)\(mismatch)."
    let shown = isSensitive(key) ? hidden : "<\(name)> is <\(ValueText.describe(value))>\(mismatch)."
    return RedactableTexts.Part(name: name, text: .made(shown), hidden: hidden)
  }
}
