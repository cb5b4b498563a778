extension FlowEvent.Kind {
  /// The kind with all texts made safe as parts of a line, so that none of them can end it or forge another.
  package var inLines: FlowEvent.Kind { mappingTexts { text, _ in LineText.escaped(text) } }

  /// The kind with all of its texts changed; the text of a value comes with the value's name.
  @inline(never)
  func mappingTexts(_ change: (_ text: String, _ name: String?) -> String) -> FlowEvent.Kind {
    func text(_ text: String) -> String { change(text, nil) }
    func items(_ items: [FlowEvent.Item]) -> [FlowEvent.Item] {
      items.map { FlowEvent.Item(name: text($0.name), text: change($0.text, $0.name)) }
    }
    return switch self {
    case .flowStarted(let data): .flowStarted(items(data))
    case .flowFinished(let ending, let data): .flowFinished(ending.mappingText(text), items(data))
    case .finished(let ending): .finished(ending.mappingText(text))
    case .recovered(let ending): .recovered(ending.mappingText(text))
    case .endedLate(let ending): .endedLate(ending.mappingText(text))
    case .undoFinished(let ending): .undoFinished(ending.mappingText(text))
    case .logged(let message, let level): .logged(text(message), level)
    case .progressed(let step): .progressed(step: text(step))
    case .warned(let message): .warned(text(message))
    case .added(let name, let value): .added(name: text(name), text: change(value, name))
    case .replaced(let name, let old, let new):
      .replaced(name: text(name), old: change(old, name), new: change(new, name))
    case .removed(let name, let old): .removed(name: text(name), old: change(old, name))
    case .groupIsEmpty(let input): .groupIsEmpty(input: text(input))
    case .caseChosen(let choice): .caseChosen(text(choice))
    case .noCaseMatched(let held): .noCaseMatched(held: text(held))
    case .skipped(let held): .skipped(held: text(held))
    case .started, .undoStarted, .groupCreated, .groupStarted, .groupFinished, .groupStopped, .paused, .resumed,
      .cancelRequested,
      .leftOut:
      self
    }
  }

  /// The kind with texts that come from user code cut at the record's limits.
  var bounded: FlowEvent.Kind {
    switch self {
    case .logged(let message, let level):
      .logged(ValueText.cutCounting(message, limit: ValueText.messageLimit), level)
    case .warned(let message): .warned(ValueText.cutCounting(message, limit: ValueText.messageLimit))
    case .groupIsEmpty(let input): .groupIsEmpty(input: ValueText.name(input))
    default: self
    }
  }
}

extension FlowEvent.Finish {
  fileprivate func mappingText(_ map: (String) -> String) -> FlowEvent.Finish {
    switch self {
    case .successfully, .cancelled: self
    case .withError(let text): .withError(map(text))
    case .withInsufficientInputData(let text): .withInsufficientInputData(map(text))
    case .withMismatchInputDataType(let text): .withMismatchInputDataType(map(text))
    }
  }
}
