/// What happened, as a record keeps it: what is sensitive is hidden when it is read, because that may turn out later.
enum RecordedKind: Sendable {
  case plain(FlowEvent.Kind)
  /// An event with texts of values that are stored apart with their names, or that are still to be made.
  case keyed(RedactableTexts)

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
      self.name = name
      self.text = text
      self.hidden = hidden
    }

    /// The same without the value of a name of the run that is hidden; it may make its text, so no lock may be held.
    func hiding(_ names: HiddenNames, _ secrets: SecretTexts) -> Part {
      let shown = names.contains(name, in: -1) ? RecordText.made(hidden) : text
      return Part(name: name, text: secrets.isEmpty ? shown : .made(secrets.scrubbing(shown.text)))
    }
  }

  /// What happened, without the texts of the parts.
  private let bareKind: FlowEvent.Kind
  let parts: [Part]
  // Either of the next two: with an enum of both, the compiler makes each event of an item 100 instructions dearer.
  /// Makes the kind with texts of the parts; `nil` for the end of a run.
  private let make: (@Sendable ([String]) -> FlowEvent.Kind)?
  /// The end of a run, as a step would end, and the values that the run leaves.
  private let end: (kind: RecordedKind, values: [String: RecordedValue])?

  init(_ parts: [Part], _ make: @escaping @Sendable ([String]) -> FlowEvent.Kind) {
    self.parts = parts
    self.make = make
    end = nil
    bareKind = make(Self.hidden(parts))
  }

  /// Those of the end of a run, as a step would end, and of the values that it leaves: listed when the event is read.
  init(ofRun end: RecordedKind, _ values: [String: RecordedValue]) {
    parts = []
    make = nil
    self.end = (end, values)
    bareKind = end.outline
  }

  fileprivate var outline: FlowEvent.Kind { listing([], bareKind) }

  fileprivate func shown(hiding hidden: HiddenNames, in step: Int32) -> FlowEvent.Kind {
    if let end {
      let names = end.values.keys.filter { hidden.contains(ValueText.name($0), in: step) }
      let items = end.values.items(hiding: Set(names))
      return listing(items, end.kind.hiding(hidden, in: step))
    }
    return make?(parts.map { hidden.contains($0.name, in: step) ? $0.hidden : $0.text.text }) ?? bareKind
  }

  fileprivate func hiddenTexts(_ hidden: HiddenNames, in step: Int32) -> [String] {
    if let end {
      return end.kind.hiddenTexts(hidden, in: step)
        + end.values.compactMap { hidden.contains(ValueText.name($0), in: step) ? $1.madeText : nil }
    }
    // What is hidden by another text is a sentence, and the value isn't all of it. A hidden value is never described.
    return parts.filter { $0.hidden == ValueText.redacted && hidden.contains($0.name, in: step) }
      .compactMap(\.text.ifMade)
  }

  private func listing(_ items: [FlowEvent.Item], _ kind: FlowEvent.Kind) -> FlowEvent.Kind {
    if end != nil, case .finished(let finish) = kind { .flowFinished(finish, items) } else { kind }
  }

  /// On its own, because the compiler copies the initializer for each closure.
  private static func hidden(_ parts: [Part]) -> [String] { parts.map(\.hidden) }
}
