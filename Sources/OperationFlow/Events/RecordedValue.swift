/// A value with its text, made at the time of the write if a record keeps it: a class, so that reading copies no text.
final class RecordedValue: Sendable {
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
  var withoutText: RecordedValue { RecordedValue(value: value, text: nil) }
  /// Whether its text is too short to be a secret.
  var isShort: Bool { if case .made(let text) = text { SecretTexts.isTooShort(text) } else { false } }
  /// The value, unless a journal doesn't have it.
  var known: (any Sendable)? { isBoxed(value, as: UnavailableValue.self) ? nil : value }
}

extension [String: RecordedValue] {
  /// The values by their names, without those that a journal doesn't have.
  var known: [String: any Sendable] { isEmpty ? [:] : compactMapValues(\.known) }

  /// The same with a text for each value that isn't hidden; it may make texts, so no lock may be held.
  func withTexts(hiding hiddenNames: Set<String>) -> [String: RecordedValue] {
    var values = self
    for (name, entry) in self where entry.madeText == nil && !hiddenNames.contains(name) && entry.known != nil {
      let text = entry.text?.text ?? ValueText.describe(entry.value)
      values[name] = RecordedValue(value: entry.value, text: .made(text))
    }
    return values
  }

  /// The texts of the values that are hidden; it may make texts, so no lock may be held.
  func secrets(_ isHidden: (_ name: String) -> Bool) -> SecretTexts {
    var secrets = SecretTexts()
    for (name, entry) in self where isHidden(name) { secrets.insert(value: entry.value) }
    return secrets
  }

  /// The names and texts of the values, sorted by name; it may make texts, so no lock may be held.
  func items(hiding hiddenNames: Set<String> = []) -> [FlowEvent.Item] {
    if isEmpty { return [] }
    var items: [FlowEvent.Item] = []
    items.reserveCapacity(count)
    for (name, entry) in self where entry.known != nil {
      let text = hiddenNames.contains(name) ? ValueText.redacted : entry.madeText ?? ValueText.describe(entry.value)
      items.append(FlowEvent.Item(name: ValueText.name(name), text: text))
    }
    items.sort { $0.name < $1.name }
    return items
  }
}

extension RecordedKind {
  /// Makes the texts that are still to be made, outside all locks.
  func makeTexts() {
    guard case .keyed(let texts) = self else { return }
    for part in texts.parts { _ = part.text.text }
  }

  /// The event of a write; at least one of the entries must be there.
  static func written(_ name: String, old: RecordedValue?, new: RecordedValue?, hidesTexts: Bool) -> RecordedKind {
    let text = { (entry: RecordedValue) in hidesTexts ? ValueText.redacted : entry.madeText }
    let oldText = old.flatMap(text)
    let newText = new.flatMap(text)
    let shownName = ValueText.name(name)
    if (old == nil) == (oldText == nil), (new == nil) == (newText == nil) {
      return .plain(written(shownName, old: oldText, new: newText))
    }
    let parts = [old, new].compactMap(\.self).map {
      RedactableTexts.Part(name: shownName, text: $0.text ?? .pending(PendingText($0.value)))
    }
    let hasOld = old != nil
    let hasNew = new != nil
    return .keyed(
      RedactableTexts(parts) { written(shownName, old: hasOld ? $0.first : nil, new: hasNew ? $0.last : nil) })
  }

  private static func written(_ name: String, old: String?, new: String?) -> FlowEvent.Kind {
    switch (old, new) {
    case (let old?, let new?): .replaced(name: name, old: old, new: new)
    case (let old?, nil): .removed(name: name, old: old)
    case (nil, let new): .added(name: name, text: new ?? "")
    }
  }
}
