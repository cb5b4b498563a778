/// The names whose values a record hides.
struct HiddenNames: Sendable {
  private(set) var names: Set<String> = []
  /// The rule for names that are hidden without being marked.
  let rule: FlowRedaction
  /// The run's keys by a group's step and the name that its operations use for their items or outputs.
  private var keys = [String: String]()
  private(set) var changeCount = 0

  init(_ rule: FlowRedaction = .none) { self.rule = rule }

  var isEmpty: Bool { names.isEmpty && rule.isEmpty }

  mutating func insert(_ names: Set<String>) {
    for name in names where self.names.insert(ValueText.name(name)).inserted { changeCount += 1 }
  }

  /// Records that a name used by a group's items refers to a key of the run, and is hidden together with that key.
  mutating func link(_ name: String, to key: String, in step: Int32) {
    let key = ValueText.name(key)
    if keys.updateValue(key, forKey: "\(step) \(ValueText.name(name))") != key { changeCount += 1 }
  }

  /// Returns true if the values of a name, as the record has it, are hidden in a step's events.
  func contains(_ name: String, in step: Int32) -> Bool {
    if isEmpty { return false }
    return contains(name) || (keys.isEmpty ? nil : keys["\(step) \(name)"]).map(contains) ?? false
  }

  /// Returns true if a name of the run is hidden.
  func contains(_ name: String) -> Bool { names.contains(name) || rule.redacts(name) }

  /// Returns the error without sensitive values; `step` is the step that failed, by default that in the error's path.
  func hide(
    _ error: any Error, of step: Int32? = nil, _ paths: PathTable?, _ secrets: SecretTexts
  ) -> any Error {
    guard let error = error.flowError else { return error }
    let step = step ?? error.path?.step ?? -1
    return error.hiding({ contains($0, in: step) }, paths, scrubbing: secrets.scrubbing)
  }
}

/// A change to the texts of an event; with closures, the compiler would copy the function that makes the change.
enum TextChange {
  /// Replaces secrets in all texts.
  case scrubbed(SecretTexts)
  /// Replaces the values of names that are hidden in the events of a step.
  case hidden(HiddenNames, step: Int32)
  /// Cuts texts of user code at the record's limit for lines.
  case cut

  /// Returns the changed text; `name` is the name of the value whose text it is.
  fileprivate func change(_ text: String, of name: String? = nil) -> String {
    switch self {
    case .scrubbed(let secrets): secrets.scrubbing(text)
    case .hidden(let names, let step):
      if let name, names.contains(name, in: step) { ValueText.redacted } else { text }
    case .cut: ValueText.cutCounting(text, limit: ValueText.messageLimit)
    }
  }
}

extension FlowEvent.Kind {
  func changingTexts(_ change: TextChange) -> FlowEvent.Kind {
    func text(_ text: String, of name: String? = nil) -> String { change.change(text, of: name) }
    func items(_ items: [FlowEvent.Item]) -> [FlowEvent.Item] {
      items.map { FlowEvent.Item(name: text($0.name), text: text($0.text, of: $0.name)) }
    }
    return switch self {
    case .flowStarted(let data): .flowStarted(items(data))
    case .flowFinished(let ending, let data): .flowFinished(ending.changingText(change), items(data))
    case .finished(let ending): .finished(ending.changingText(change))
    case .recovered(let ending): .recovered(ending.changingText(change))
    case .endedLate(let ending): .endedLate(ending.changingText(change))
    case .undoFinished(let ending): .undoFinished(ending.changingText(change))
    case .logged(let message, let level): .logged(text(message), level)
    case .progressed(let step): .progressed(step: text(step))
    case .warned(let message): .warned(text(message))
    case .added(let name, let new): .added(name: text(name), text: text(new, of: name))
    case .replaced(let name, let old, let new):
      .replaced(name: text(name), old: text(old, of: name), new: text(new, of: name))
    case .removed(let name, let old): .removed(name: text(name), old: text(old, of: name))
    case .groupIsEmpty(let input): .groupIsEmpty(input: text(input))
    case .caseChosen(let choice): .caseChosen(text(choice))
    case .noCaseMatched(let held): .noCaseMatched(held: text(held))
    case .skipped(let held): .skipped(held: text(held))
    case .started, .undoStarted, .groupCreated, .groupStarted, .groupFinished, .groupStopped, .paused, .resumed,
      .cancelRequested, .leftOut:
      self
    }
  }

  package var isLeftOut: Bool { if case .leftOut(let events, _) = self { events > 0 } else { false } }

  /// True if the event counts in the reports of a run that is resumed after it.
  var countsAfterResume: Bool {
    switch self {
    case .undoFinished, .recovered: true
    case .finished(let finish): finish.errorText != nil
    default: false
    }
  }

  package var values: [FlowEvent.Item] {
    switch self {
    case .flowStarted(let items), .flowFinished(_, let items): items
    case .added(let name, let text), .removed(let name, let text): [FlowEvent.Item(name: name, text: text)]
    case .replaced(let name, let old, let new):
      [FlowEvent.Item(name: name, text: old), FlowEvent.Item(name: name, text: new)]
    default: []
    }
  }
}

extension FlowEvent.Finish {
  fileprivate func changingText(_ change: TextChange) -> FlowEvent.Finish {
    switch self {
    case .successfully, .cancelled: self
    case .withError(let text): .withError(change.change(text))
    case .withInsufficientInputData(let text): .withInsufficientInputData(change.change(text))
    case .withMismatchInputDataType(let text): .withMismatchInputDataType(change.change(text))
    }
  }

  /// The text of the error of a failure; `nil` for other ends.
  package var errorText: String? {
    switch self {
    case .withError(let text), .withInsufficientInputData(let text), .withMismatchInputDataType(let text): text
    case .successfully, .cancelled: nil
    }
  }

  package var summaryText: String {
    switch self {
    case .successfully: "successfully"
    case .withError(let message): "withError: \(message)"
    case .withInsufficientInputData(let message): "withInsufficientInputData: \(message)"
    case .withMismatchInputDataType(let message): "withMismatchInputDataType: \(message)"
    case .cancelled: "cancelled"
    }
  }
}
