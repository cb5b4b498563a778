/// What happened, as a record keeps it.
///
/// A sensitive name's values are hidden when an event is read, so a name can turn out to be sensitive at any time.
enum RecordedKind: Sendable {
  case plain(FlowEvent.Kind)
  /// An event with texts of values that are stored apart with their names, or that are still to be made.
  case keyed(any KeyedTexts)

  /// The end of a run, as a step would end, with the values that it leaves: they are listed when the event is read.
  static func ended(_ end: RecordedKind, _ values: [String: RecordedValue]) -> RecordedKind {
    .keyed(RecordedEnd(end, values))
  }

  var outline: FlowEvent.Kind {
    switch self {
    case .plain(let kind): kind
    case .keyed(let texts): texts.outline
    }
  }

  /// The kind as it is shown while some names are sensitive; it may make texts, so no lock may be held.
  func hiding(_ hidden: HiddenNames, in step: Int32) -> FlowEvent.Kind {
    let kind =
      switch self {
      case .plain(let kind): kind
      case .keyed(let texts): texts.shown(hiding: hidden, in: step)
      }
    return hidden.isEmpty || kind.values.isEmpty ? kind : kind.changingTexts(.hidden(hidden, step: step))
  }

  /// The texts of values that are hidden in a step's events, as far as they have been made.
  func hiddenTexts(_ hidden: HiddenNames, in step: Int32) -> [String] {
    switch self {
    case .plain(let kind): kind.values.filter { hidden.contains($0.name, in: step) }.map(\.text)
    case .keyed(let texts): texts.hiddenTexts(hidden, in: step)
    }
  }
}

/// The texts of values in an event, by the names of the values.
protocol KeyedTexts: AnyObject, Sendable {
  /// What happened, without the texts.
  var outline: FlowEvent.Kind { get }
  /// What happened, with the texts of the names that aren't hidden, which may be made now.
  func shown(hiding hidden: HiddenNames, in step: Int32) -> FlowEvent.Kind
  /// The texts of the names that are hidden, as far as they have been made.
  func hiddenTexts(_ hidden: HiddenNames, in step: Int32) -> [String]
  /// Makes the texts that are still to be made, outside all locks.
  func makeTexts()
}

/// The texts of an event, each with the name that it is about.
final class RedactableTexts: KeyedTexts {
  final class Part: Sendable {
    let name: String
    let text: RecordText
    /// The text shown instead once the name is sensitive.
    let hidden: String

    init(name: String, text: RecordText, hidden: String = ValueText.redacted) {
      (self.name, self.text, self.hidden) = (name, text, hidden)
    }

    /// The same without the value of a name of the run that is hidden.
    func hiding(_ names: HiddenNames) -> Part {
      names.contains(name, in: -1) ? Part(name: name, text: .made(hidden)) : self
    }
  }

  let outline: FlowEvent.Kind
  let parts: [Part]
  private let make: @Sendable ([String]) -> FlowEvent.Kind

  @inline(never)
  init(_ parts: [Part], _ make: @escaping @Sendable ([String]) -> FlowEvent.Kind) {
    self.parts = parts
    self.make = make
    outline = make(Self.hidden(parts))
  }

  func shown(hiding hidden: HiddenNames, in step: Int32) -> FlowEvent.Kind {
    make(parts.map { hidden.contains($0.name, in: step) ? $0.hidden : $0.text.text })
  }

  func hiddenTexts(_ hidden: HiddenNames, in step: Int32) -> [String] {
    // What is hidden by another text is a sentence, and the value isn't all of it. A hidden value is never described.
    parts.filter { $0.hidden == ValueText.redacted && hidden.contains($0.name, in: step) }.compactMap(\.text.ifMade)
  }

  func makeTexts() { for part in parts { _ = part.text.text } }

  /// On its own, because the compiler copies the initializer for each closure.
  @inline(never)
  private static func hidden(_ parts: [Part]) -> [String] { parts.map(\.hidden) }
}

/// The end of a run, as a step would end, with the values that it leaves.
private final class RecordedEnd: KeyedTexts {
  private let end: RecordedKind
  private let values: [String: RecordedValue]

  init(_ end: RecordedKind, _ values: [String: RecordedValue]) { (self.end, self.values) = (end, values) }

  var outline: FlowEvent.Kind { Self.kind(end.outline, []) }

  func shown(hiding hidden: HiddenNames, in step: Int32) -> FlowEvent.Kind {
    Self.kind(end.hiding(hidden, in: step), values.items { hidden.contains(ValueText.name($0), in: step) })
  }

  func hiddenTexts(_ hidden: HiddenNames, in step: Int32) -> [String] {
    end.hiddenTexts(hidden, in: step)
      + values.compactMap { hidden.contains(ValueText.name($0), in: step) ? $1.madeText : nil }
  }

  func makeTexts() {}

  private static func kind(_ end: FlowEvent.Kind, _ items: [FlowEvent.Item]) -> FlowEvent.Kind {
    if case .finished(let finish) = end { .flowFinished(finish, items) } else { end }
  }
}
