extension RecordedEvent {
  /// The event without the values of the names given.
  func redacting(_ names: Set<String>) -> RecordedEvent {
    let hidden = ValueText.redacted
    let kind: FlowEvent.Kind
    switch self.kind {
    case .flowStarted(let items): kind = .flowStarted(items.map { $0.redacting(names) })
    case .flowFinished(let ending, let items): kind = .flowFinished(ending, items.map { $0.redacting(names) })
    case .added(let name, _) where names.contains(name): kind = .added(name: name, text: hidden)
    case .replaced(let name, _, _) where names.contains(name): kind = .replaced(name: name, old: hidden, new: hidden)
    case .removed(let name, _) where names.contains(name): kind = .removed(name: name, old: hidden)
    default: return self
    }
    return RecordedEvent(date: date, source: source, kind: kind, number: number)
  }
}

extension FlowEvent.Item {
  fileprivate func redacting(_ names: Set<String>) -> FlowEvent.Item {
    names.contains(name) ? FlowEvent.Item(name: name, text: ValueText.redacted) : self
  }
}
