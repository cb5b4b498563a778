extension StepTrait {
  /// Runs the step only if a condition is met when the run reaches it; otherwise the step is skipped.
  ///
  /// A step that contains others is skipped as a whole. The condition is called once, before the first attempt, outside
  /// all locks. If it throws, the step fails. With several conditions, the step runs only if all of them are met.
  ///
  /// - Parameter condition: A closure that returns true if the step should run. It must not wait.
  /// - Returns: The trait.
  public static func when(_ condition: @escaping @Sendable (DataBucket) throws -> Bool) -> Self {
    Self { $0.conditions.append(StepCondition(condition)) }
  }

  /// Runs the step only if the value of a key is `true` when the run reaches the step; otherwise the step is skipped.
  ///
  /// - Parameter key: The key to read. If it has no value, the step is skipped.
  /// - Returns: The trait.
  public static func when(_ key: FlowKey<Bool>) -> Self { when(key, is: true) }

  /// Runs the step only if a key has a value when the run reaches the step; otherwise the step is skipped.
  ///
  /// - Parameters:
  ///   - key: The key to read. If it has no value, the step is skipped.
  ///   - value: The value that the key must have.
  /// - Returns: The trait.
  public static func when<Value: Hashable>(_ key: FlowKey<Value>, is value: Value) -> Self {
    let input = StepPort(reading: key, isRequired: false)
    let flowCase = FlowCase(key: key, values: [value])
    return Self { $0.conditions.append(StepCondition(on: input, as: flowCase) { $0[key] == value }) }
  }

  /// Runs the step only if the value of a key meets a condition when the run reaches it; otherwise the step is skipped.
  ///
  /// - Parameters:
  ///   - key: The key to read. If it has no value, the step is skipped.
  ///   - condition: A closure that returns true if the step should run, such as `{ $0 > 3 }`. If it throws, the step
  ///     fails with that error.
  /// - Returns: The trait.
  public static func when<Value>(
    _ key: FlowKey<Value>, _ condition: @escaping @Sendable (Value) throws -> Bool
  ) -> Self {
    let input = StepPort(reading: key, isRequired: false)
    return Self { $0.conditions.append(StepCondition(on: input) { try $0[key].map(condition) ?? false }) }
  }
}

/// A condition for running a step.
package final class StepCondition: Sendable {
  /// The key that must have a value of its type, if the condition names one.
  package let input: StepPort?
  /// The condition as that of a branch, if it compares the key with a value.
  package let flowCase: FlowCase?
  private let test: @Sendable (DataBucket) throws -> Bool

  init(
    on input: StepPort? = nil, as flowCase: FlowCase? = nil, _ test: @escaping @Sendable (DataBucket) throws -> Bool
  ) {
    self.input = input
    self.flowCase = flowCase
    self.test = test
  }

  /// Returns true if the condition is met; this calls user code, so no lock may be held.
  package func isMet(by bucket: DataBucket) throws -> Bool {
    if let input { try bucket.refuseUnavailable(input.name) }
    return try test(bucket)
  }

  /// Returns a sentence about the value of the condition's key; `nil` if the condition names no key.
  func held(in bucket: DataBucket) -> RedactableTexts.Part? {
    input.map { input in bucket.describe(input.name, as: input.type ?? Any.self, accepts: input.accepts) }
  }
}

extension DataBucket {
  /// Returns a sentence about the value of a key, with the expected type if the value has another one.
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
