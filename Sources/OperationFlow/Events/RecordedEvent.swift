import Foundation

/// An event in the form that a record stores, in 64 bytes; the paths that are needed to read it belong to the record.
struct RecordedEvent: Sendable {
  /// The time by the run's clock, which is never set; the record computes the date from it.
  let time: Date
  private let name: String
  let recordedKind: RecordedKind
  let failure: FlowEvent.Source.Failure
  private let attempt: UInt16
  let step: Int32
  private let itemIndex: Int
  let number: Int

  init(time: Date, source: FlowEvent.Source, recordedKind: RecordedKind, number: Int = 0) {
    self.time = time
    self.recordedKind = recordedKind
    self.number = number
    name = source.name
    failure = source.failure
    attempt = source.attemptNumber
    step = source.step
    itemIndex = source.itemIndex
  }

  /// The kind of the event, without the texts of values, to distinguish events.
  var kind: FlowEvent.Kind { recordedKind.outline }

  /// Returns the event as it is shown while these names are sensitive; this may make texts, so no lock may be held.
  func shown(hiding hidden: HiddenNames, _ paths: PathTable?, _ shifts: ClockShifts) -> FlowEvent {
    let kind = recordedKind.hiding(hidden, in: step)
    return FlowEvent(
      date: shifts.date(of: time), time: time, source: source, kind: kind, number: number,
      path: paths?.path(of: Int(step)))
  }

  var item: Int? { itemIndex < 0 ? nil : itemIndex }

  var source: FlowEvent.Source {
    FlowEvent.Source(name: name, itemIndex: itemIndex, step: step, attemptNumber: attempt, failure: failure)
  }

  /// The importance of an event to a record.
  enum Rank {
    /// The event frames the record, and is never left out.
    case run
    /// The event reports what the flow or one of its steps does.
    case step
    /// The event reports what an item does, or what is logged or written.
    case detail
  }

  var rank: Rank {
    switch recordedKind {
    case .plain(let kind): Self.rank(of: kind, item)
    case .keyed(let texts): Self.rank(of: texts.outline, item)
    }
  }

  private static func rank(of kind: FlowEvent.Kind, _ item: Int?) -> Rank {
    switch kind {
    case .flowStarted, .flowFinished: .run
    case .started, .finished, .recovered, .endedLate, .undoStarted, .undoFinished: item == nil ? .step : .detail
    case .logged, .progressed, .warned, .added, .replaced, .removed: .detail
    case .groupCreated, .groupStarted, .groupIsEmpty, .groupFinished, .groupStopped, .caseChosen, .noCaseMatched,
      .skipped, .paused, .resumed, .cancelRequested, .leftOut:
      .step
    }
  }

  var isFailure: Bool {
    switch kind {
    case .finished(let finish), .undoFinished(let finish): finish.errorText != nil
    default: false
    }
  }
}

/// The kind of a recorded event; values are hidden when it is read, because names may be marked as sensitive later.
enum RecordedKind: Sendable {
  case plain(FlowEvent.Kind)
  /// An event with texts of values that are stored with their names, or aren't made yet.
  case keyed(RedactableTexts)

  var outline: FlowEvent.Kind {
    switch self {
    case .plain(let kind): kind
    case .keyed(let texts): texts.outline
    }
  }

  /// Returns the kind as it is shown while some names are sensitive; this may make texts, so no lock may be held.
  func hiding(_ hidden: HiddenNames, in step: Int32) -> FlowEvent.Kind {
    let kind =
      switch self {
      case .plain(let kind): kind
      case .keyed(let texts): texts.shown(hiding: hidden, in: step)
      }
    return hidden.isEmpty || kind.values.isEmpty ? kind : kind.changingTexts(.hidden(hidden, step: step))
  }

  /// Returns the texts of values that are hidden in a step's events, as far as they have been made.
  func hiddenTexts(_ hidden: HiddenNames, in step: Int32) -> [String] {
    switch self {
    case .plain(let kind): kind.values.filter { hidden.contains($0.name, in: step) }.map(\.text)
    case .keyed(let texts): texts.hiddenTexts(hidden, in: step)
    }
  }
}

/// The events that report an end.
enum RecordedEnd: Sendable {
  case finished, undoFinished, recovered, endedLate
  /// The end of an operation that has ended before.
  case repeated

  func event(_ finish: FlowEvent.Finish) -> FlowEvent.Kind {
    switch self {
    case .finished: .finished(finish)
    case .undoFinished: .undoFinished(finish)
    case .recovered: .recovered(finish)
    case .endedLate: .endedLate(finish)
    case .repeated: .warned("finished again: ignored (\(finish.summaryText))")
    }
  }
}

/// The texts of an event, each with the name that it is about.
final class RedactableTexts: Sendable {
  final class Part: Sendable {
    let name: String
    let text: RecordText
    /// The text shown instead once the name is sensitive.
    let hidden: String

    init(name: String, text: RecordText, hidden: String = ValueText.redacted) {
      self.name = name
      self.text = text
      self.hidden = hidden
    }

    /// Returns the part without the value if its name is hidden; this may make the text, so no lock may be held.
    func hiding(_ names: HiddenNames, _ secrets: SecretTexts) -> Part {
      let shown = names.contains(name, in: -1) ? RecordText.made(hidden) : text
      return Part(name: name, text: secrets.isEmpty ? shown : .made(secrets.scrubbing(shown.text)))
    }
  }

  /// The kind of the event, without the texts of the parts.
  private let bareKind: FlowEvent.Kind
  let parts: [Part]
  private let content: Content

  private enum Content: Sendable {
    /// An event that is made from the texts of the parts.
    case parts(@Sendable ([String]) -> FlowEvent.Kind)
    /// An end with an error whose text isn't made yet.
    case failure(PendingText, RecordedEnd)
    /// The end of a run, in the form of a step's end, and the values that the run leaves.
    case endOfRun(RecordedKind, [String: RecordedValue])
  }

  init(_ parts: [Part], _ make: @escaping @Sendable ([String]) -> FlowEvent.Kind) {
    self.parts = parts
    content = .parts(make)
    bareKind = make(parts.map(\.hidden))
  }

  /// Creates the texts of an end with an error; the error's text is made when the event is first read.
  init(ofFailure text: PendingText, _ end: RecordedEnd) {
    parts = []
    content = .failure(text, end)
    bareKind = end.event(.withError(ValueText.redacted))
  }

  /// Creates the texts of a run's end, in the form of a step's end; the run's values are listed when the event is read.
  init(ofRun end: RecordedKind, _ values: [String: RecordedValue]) {
    parts = []
    content = .endOfRun(end, values)
    bareKind = Self.endOfRun(end.outline, [])
  }

  fileprivate var outline: FlowEvent.Kind { bareKind }

  fileprivate func shown(hiding hidden: HiddenNames, in step: Int32) -> FlowEvent.Kind {
    switch content {
    case .parts(let make):
      return make(parts.map { hidden.contains($0.name, in: step) ? $0.hidden : $0.text.text })
    case .failure(let text, let end): return end.event(.withError(text.text))
    case .endOfRun(let end, let values):
      let names = values.keys.filter { hidden.contains(ValueText.name($0), in: step) }
      return Self.endOfRun(end.hiding(hidden, in: step), values.items(hiding: Set(names)))
    }
  }

  fileprivate func hiddenTexts(_ hidden: HiddenNames, in step: Int32) -> [String] {
    if case .endOfRun(let end, let values) = content {
      return end.hiddenTexts(hidden, in: step)
        + values.compactMap { hidden.contains(ValueText.name($0), in: step) ? $1.madeText : nil }
    }
    // Another hidden text is a sentence, and the value is only a part of it. A hidden value is never described.
    return parts.filter { $0.hidden == ValueText.redacted && hidden.contains($0.name, in: step) }
      .compactMap(\.text.ifMade)
  }

  private static func endOfRun(_ end: FlowEvent.Kind, _ values: [FlowEvent.Item]) -> FlowEvent.Kind {
    if case .finished(let finish) = end { .flowFinished(finish, values) } else { end }
  }
}

/// A value with its text, made at the time of the write if a record needs it; a class, so that reads copy no text.
final class RecordedValue: Sendable {
  let value: any Sendable
  /// The text; `nil` if it hasn't been needed so far.
  let text: RecordText?

  init(value: any Sendable, text: RecordText?) {
    self.value = value
    self.text = text
  }

  /// Creates a value that runs start with; a text that is at hand never changes.
  convenience init(initial value: any Sendable) {
    self.init(value: value, text: ValueText.atHand(value).map(RecordText.made))
  }

  var madeText: String? { text?.ifMade }
  var withoutText: RecordedValue { RecordedValue(value: value, text: nil) }
  /// True if the text is too short to be a secret.
  var isShort: Bool { if case .made(let text) = text { SecretTexts.isTooShort(text) } else { false } }
  /// The value; `nil` if a journal doesn't have it.
  var known: (any Sendable)? { isBoxed(value, as: UnavailableValue.self) ? nil : value }
}

extension [String: RecordedValue] {
  /// The values by their names, without those that a journal doesn't have.
  var known: [String: any Sendable] { isEmpty ? [:] : compactMapValues(\.known) }

  /// Returns the values with a text for each that isn't hidden; this may make texts, so no lock may be held.
  func withTexts(hiding hiddenNames: Set<String>) -> [String: RecordedValue] {
    var values = self
    for (name, entry) in self where entry.madeText == nil && !hiddenNames.contains(name) && entry.known != nil {
      let text = entry.text?.text ?? ValueText.describe(entry.value)
      values[name] = RecordedValue(value: entry.value, text: .made(text))
    }
    return values
  }

  /// Returns the texts of the values that are hidden; this may make texts, so no lock may be held.
  func secrets(_ isHidden: (_ name: String) -> Bool) -> SecretTexts {
    var secrets = SecretTexts()
    for (name, entry) in self where isHidden(name) { secrets.insert(value: entry.value) }
    return secrets
  }

  /// Returns the names and texts of the values, sorted by name; this may make texts, so no lock may be held.
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
  /// Makes the texts that aren't made yet, outside all locks.
  func makeTexts() {
    guard case .keyed(let texts) = self else { return }
    for part in texts.parts { _ = part.text.text }
  }

  /// Returns the event of a write; at most one of the entries is `nil`.
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
