extension DataBucket {
  /// A value with its text, made when it was written if a record keeps that, so that it is that of the write.
  ///
  /// A class, for reading the value should not copy the text.
  final class Entry: Sendable {
    let value: any Sendable
    let text: Text

    /// What is known of a value's text.
    enum Text: Sendable {
      /// Nobody has asked for it so far.
      case none
      case made(String)
      /// Written under the lock, and made as soon as that is given back.
      case pending(PendingText)
    }

    init(value: any Sendable, text: Text) {
      self.value = value
      self.text = text
    }

    /// The text, if it has been made.
    var madeText: String? {
      switch text {
      case .none: nil
      case .made(let text): text
      case .pending(let pending): pending.made
      }
    }

    /// The text as a part of an event.
    func part(_ name: String) -> KeyedTexts.Part {
      if let madeText { return KeyedTexts.Part(name: name, text: .made(madeText)) }
      if case .pending(let pending) = text { return KeyedTexts.Part(name: name, text: .pending(pending)) }
      return KeyedTexts.Part(name: name, text: .pending(PendingText(value)))
    }
  }
}

extension RecordedKind {
  /// What a write comes to; one of the two is there.
  static func written(
    _ name: String, old: DataBucket.Entry?, new: DataBucket.Entry?, hidesTexts: Bool
  ) -> RecordedKind {
    let (oldText, newText) = hidesTexts ? (ValueText.redacted, ValueText.redacted) : (old?.madeText, new?.madeText)
    let isMade = (old == nil || oldText != nil) && (new == nil || newText != nil)
    if isMade,
      let kind = FlowEvent.Kind.written(name, old: old.flatMap { _ in oldText }, new: new.flatMap { _ in newText })
    {
      return .plain(kind)
    }
    let shownName = ValueText.name(name)
    let parts = [old, new].compactMap { $0?.part(shownName) }
    switch (old != nil, new != nil) {
    case (true, true): return .keyed(KeyedTexts(parts) { .replaced(name: shownName, old: $0[0], new: $0[1]) })
    case (true, false): return .keyed(KeyedTexts(parts) { .removed(name: shownName, old: $0[0]) })
    case (false, _): return .keyed(KeyedTexts(parts) { .added(name: shownName, text: $0[0]) })
    }
  }
}
