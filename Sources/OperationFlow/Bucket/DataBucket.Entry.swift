extension DataBucket {
  /// A value with its text, made at the time of the write if a record keeps it, so that it matches the write.
  ///
  /// It is a class so that reading the value doesn't copy the text.
  final class Entry: Sendable {
    let value: any Sendable
    /// `nil` if it hasn't been needed so far.
    let text: RecordText?

    init(value: any Sendable, text: RecordText?) {
      self.value = value
      self.text = text
    }

    /// A value that runs begin with, whose text never changes if it is at hand.
    convenience init(initial value: any Sendable) {
      self.init(value: value, text: ValueText.atHand(value).map(RecordText.made))
    }

    var madeText: String? { text?.ifMade }
  }
}

extension RecordedKind {
  /// Makes the texts that are still to be made, outside all locks.
  func makeTexts() {
    guard case .keyed(let texts) = self else { return }
    for part in texts.parts { _ = part.text.text }
  }

  /// The event of a write; at least one of the entries must be there.
  static func written(
    _ name: String, old: DataBucket.Entry?, new: DataBucket.Entry?, hidesTexts: Bool
  ) -> RecordedKind {
    let text = { (entry: DataBucket.Entry) in hidesTexts ? ValueText.redacted : entry.madeText }
    let (oldText, newText) = (old.flatMap(text), new.flatMap(text))
    if (old == nil) == (oldText == nil), (new == nil) == (newText == nil),
      let kind = FlowEvent.Kind.written(name, old: oldText, new: newText)
    {
      return .plain(kind)
    }
    let shownName = ValueText.name(name)
    let parts = [old, new].compactMap(\.self).map {
      RedactableTexts.Part(name: shownName, text: $0.text ?? .pending(PendingText($0.value)))
    }
    switch (old != nil, new != nil) {
    case (true, true): return .keyed(RedactableTexts(parts) { .replaced(name: shownName, old: $0[0], new: $0[1]) })
    case (true, false): return .keyed(RedactableTexts(parts) { .removed(name: shownName, old: $0[0]) })
    case (false, _): return .keyed(RedactableTexts(parts) { .added(name: shownName, text: $0[0]) })
    }
  }
}
