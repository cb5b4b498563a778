extension FlowEvent.Kind {
  /// The kind with all texts made safe as parts of a line, so that none of them can end it or forge another.
  var inLines: FlowEvent.Kind {
    func line(_ text: String) -> String { LineText.escaped(text) }
    return switch self {
    case .flowStarted(let items): .flowStarted(items.map(\.inLine))
    case .flowFinished(let ending, let items): .flowFinished(ending.inLine, items.map(\.inLine))
    case .finished(let ending): .finished(ending.inLine)
    case .recovered(let ending): .recovered(ending.inLine)
    case .endedLate(let ending): .endedLate(ending.inLine)
    case .undoFinished(let ending): .undoFinished(ending.inLine)
    case .logged(let message, let level): .logged(line(message), level)
    case .progressed(let step): .progressed(step: line(step))
    case .warned(let message): .warned(line(message))
    case .added(let name, let text): .added(name: line(name), text: line(text))
    case .replaced(let name, let old, let new): .replaced(name: line(name), old: line(old), new: line(new))
    case .removed(let name, let old): .removed(name: line(name), old: line(old))
    case .groupIsEmpty(let input): .groupIsEmpty(input: line(input))
    case .caseChosen(let text): .caseChosen(line(text))
    case .noCaseMatched(let held): .noCaseMatched(held: line(held))
    case .skipped(let held): .skipped(held: line(held))
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
  fileprivate var inLine: FlowEvent.Finish {
    switch self {
    case .successfully, .cancelled: self
    case .withError(let text): .withError(LineText.escaped(text))
    case .withInsufficientInputData(let text): .withInsufficientInputData(LineText.escaped(text))
    case .withMismatchInputDataType(let text): .withMismatchInputDataType(LineText.escaped(text))
    }
  }
}

extension FlowEvent.Item {
  fileprivate var inLine: FlowEvent.Item {
    FlowEvent.Item(name: LineText.escaped(name), text: LineText.escaped(text))
  }
}
