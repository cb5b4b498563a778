/// What happened, as a record keeps it.
///
/// A sensitive name's values are hidden when an event is read, so a name can turn out to be sensitive at any time.
enum RecordedKind: Sendable {
  case plain(FlowEvent.Kind)
  /// An event with texts of values stored apart with their names, or with texts that are still to be made.
  case keyed(RedactableTexts)
  /// The end of a run, as a step would end, and the values that it leaves: they are listed when the event is read.
  indirect case ended(RecordedKind, [String: RecordedValue])

  var outline: FlowEvent.Kind {
    switch self {
    case .plain(let kind): kind
    case .keyed(let texts): texts.outline
    case .ended(let end, _): end.outline.listing([])
    }
  }

  /// The kind as it is shown while some names are sensitive; it may make texts, so no lock may be held.
  func hiding(_ hidden: HiddenNames, in step: Int32) -> FlowEvent.Kind {
    let kind =
      switch self {
      case .plain(let kind): kind
      case .keyed(let texts):
        texts.make(texts.parts.map { hidden.contains($0.name, in: step) ? $0.hidden : $0.text.text })
      case .ended(let end, let values):
        end.hiding(hidden, in: step).listing(values.items { hidden.contains(ValueText.name($0), in: step) })
      }
    return hidden.isEmpty || kind.values.isEmpty ? kind : kind.changingTexts(.hidden(hidden, step: step))
  }

  /// The texts of values that are hidden in a step's events, as far as they have been made.
  func hiddenTexts(_ hidden: HiddenNames, in step: Int32) -> [String] {
    switch self {
    case .plain(let kind): kind.values.filter { hidden.contains($0.name, in: step) }.map(\.text)
    case .keyed(let texts):
      // What is hidden by another text is a sentence, and the value isn't all of it. A hidden value is never described.
      texts.parts.filter { $0.hidden == ValueText.redacted && hidden.contains($0.name, in: step) }
        .compactMap(\.text.ifMade)
    case .ended(_, let values):
      values.compactMap { hidden.contains(ValueText.name($0), in: step) ? $1.madeText : nil }
    }
  }
}

extension FlowEvent.Kind {
  /// The end of a run, as a step would end, with the values that it leaves.
  fileprivate func listing(_ items: [FlowEvent.Item]) -> FlowEvent.Kind {
    if case .finished(let finish) = self { .flowFinished(finish, items) } else { self }
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

  let outline: FlowEvent.Kind
  let parts: [Part]
  fileprivate let make: @Sendable ([String]) -> FlowEvent.Kind

  @inline(never)
  init(_ parts: [Part], _ make: @escaping @Sendable ([String]) -> FlowEvent.Kind) {
    self.parts = parts
    self.make = make
    outline = make(Self.hidden(parts))
  }

  /// On its own, because the compiler copies the initializer for each closure.
  @inline(never)
  private static func hidden(_ parts: [Part]) -> [String] { parts.map(\.hidden) }
}
