/// What happened, as a record keeps it.
///
/// A sensitive name's values are hidden when an event is read, so a name can turn out to be sensitive at any time.
enum RecordedKind: Sendable {
  case plain(FlowEvent.Kind)
  /// An event with texts of values stored apart with their names, or with texts that are still to be made.
  case keyed(RedactableTexts)

  /// The kind without the texts of values, to distinguish events.
  var outline: FlowEvent.Kind {
    switch self {
    case .plain(let kind): kind
    case .keyed(let texts): texts.outline
    }
  }

  /// The kind as it is shown while some names are sensitive; it may make texts, so no lock may be held.
  func hiding(_ isHidden: (String) -> Bool) -> FlowEvent.Kind {
    switch self {
    case .plain(let kind): kind.hiding(isHidden)
    case .keyed(let texts): texts.kind(hiding: isHidden).hiding(isHidden)
    }
  }
}

/// The texts of an event, each with the name that it is about.
final class RedactableTexts: Sendable {
  /// A part of an event's text.
  struct Part: Sendable {
    let name: String
    let text: RecordText
    /// The text shown instead once the name is sensitive.
    var hidden = ValueText.redacted
  }

  let outline: FlowEvent.Kind
  private let parts: [Part]
  private let make: @Sendable ([String]) -> FlowEvent.Kind

  init(_ parts: [Part], _ make: @escaping @Sendable ([String]) -> FlowEvent.Kind) {
    self.parts = parts
    self.make = make
    outline = make(parts.map(\.hidden))
  }

  func kind(hiding isHidden: (String) -> Bool) -> FlowEvent.Kind {
    make(parts.map { isHidden($0.name) ? $0.hidden : $0.text.text })
  }

  /// The texts about the names that are hidden, as far as they have been made: a hidden value is never described.
  func texts(of isHidden: (String) -> Bool) -> [String] {
    // What is hidden by another text is a sentence, and the value isn't all of it.
    parts.filter { isHidden($0.name) && $0.hidden == ValueText.redacted }.compactMap(\.text.ifMade)
  }

  /// Makes the texts that haven't been made yet; no lock may be held.
  func makeTexts() {
    for part in parts { _ = part.text.text }
  }
}

extension FlowEvent.Kind {
  /// The kind without the values of the given names.
  fileprivate func hiding(_ isHidden: (String) -> Bool) -> FlowEvent.Kind {
    mappingTexts { text, name in name.map(isHidden) == true ? ValueText.redacted : text }
  }
}
