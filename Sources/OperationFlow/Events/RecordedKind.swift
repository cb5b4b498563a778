/// What happened, as a record keeps it.
///
/// A sensitive name's values are hidden when an event is read, so a name can turn out to be sensitive at any time.
enum RecordedKind: Sendable {
  case plain(FlowEvent.Kind)
  /// An event with texts of values that are stored apart with their names, or that are still to be made.
  case keyed(RedactableTexts)

  /// The end of a run, as a step would end, with the values that it leaves: they are listed when the event is read.
  static func ended(_ end: RecordedKind, _ values: [String: RecordedValue]) -> RecordedKind {
    .keyed(RedactableTexts(end, values))
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

/// The texts of an event, each with the name that it is about.
final class RedactableTexts: Sendable {
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

  private enum Content: Sendable {
    /// What happened without the texts, and what makes it with a text for each part.
    case parts(outline: FlowEvent.Kind, make: @Sendable ([String]) -> FlowEvent.Kind)
    /// The end of a run, as a step would end, and the values that the run leaves.
    case end(RecordedKind, [String: RecordedValue])
  }

  let parts: [Part]
  private let content: Content

  @inline(never)
  init(_ parts: [Part], _ make: @escaping @Sendable ([String]) -> FlowEvent.Kind) {
    self.parts = parts
    content = .parts(outline: make(Self.hidden(parts)), make: make)
  }

  fileprivate init(_ end: RecordedKind, _ values: [String: RecordedValue]) {
    (parts, content) = ([], .end(end, values))
  }

  fileprivate var outline: FlowEvent.Kind {
    switch content {
    case .parts(let outline, _): outline
    case .end(let end, _): end.outline.endingRun([])
    }
  }

  fileprivate func shown(hiding hidden: HiddenNames, in step: Int32) -> FlowEvent.Kind {
    switch content {
    case .parts(_, let make):
      make(parts.map { hidden.contains($0.name, in: step) ? $0.hidden : $0.text.text })
    case .end(let end, let values):
      end.hiding(hidden, in: step).endingRun(values.items { hidden.contains(ValueText.name($0), in: step) })
    }
  }

  fileprivate func hiddenTexts(_ hidden: HiddenNames, in step: Int32) -> [String] {
    switch content {
    case .parts:
      // What is hidden by another text is a sentence, and the value isn't all of it. A hidden value is never described.
      parts.filter { $0.hidden == ValueText.redacted && hidden.contains($0.name, in: step) }.compactMap(\.text.ifMade)
    case .end(let end, let values):
      end.hiddenTexts(hidden, in: step)
        + values.compactMap { hidden.contains(ValueText.name($0), in: step) ? $1.madeText : nil }
    }
  }

  /// On its own, because the compiler copies the initializer for each closure.
  @inline(never)
  private static func hidden(_ parts: [Part]) -> [String] { parts.map(\.hidden) }
}

extension FlowEvent.Kind {
  /// The end of a step as that of a run which leaves values.
  fileprivate func endingRun(_ items: [FlowEvent.Item]) -> FlowEvent.Kind {
    if case .finished(let finish) = self { .flowFinished(finish, items) } else { self }
  }
}
