import OperationFlow

extension FlowEvent.Kind {
  /// The names of kinds in saved records; a name never changes its meaning.
  private enum Name: String, Codable {
    case flowStarted, flowFinished, started, finished, recovered, endedLate, undoStarted, undoFinished, logged,
      progressed, warned, added, replaced, removed, groupCreated, groupStarted, groupIsEmpty, groupFinished,
      groupStopped, caseChosen, noCaseMatched, skipped, paused, resumed, cancelRequested, leftOut
  }

  /// Returns true if a kind with this name can be decoded.
  package static func isKnown(_ name: String) -> Bool { Name(rawValue: name) != nil }

  private enum CodingKeys: CodingKey {
    case event, end, text, level, key, old, new, data, count, items
  }

  /// Decodes the fields of an event's kind.
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func text(_ key: CodingKeys = .text) throws -> String { try container.decode(String.self, forKey: key) }
    func count(_ key: CodingKeys = .count, in range: ClosedRange<Int> = SavedNumbers.counts) throws -> Int {
      try container.decode(in: range, forKey: key)
    }
    func end() throws -> FlowEvent.Finish {
      try FlowEvent.Finish(
        name: container.decode(String.self, forKey: .end), text: container.decodeIfPresent(String.self, forKey: .text))
    }
    func data() throws -> [FlowEvent.Item] { try container.decode([FlowEvent.Item].self, forKey: .data) }
    self =
      switch try container.decode(Name.self, forKey: .event) {
      case .flowStarted: .flowStarted(try data())
      case .flowFinished: .flowFinished(try end(), try data())
      case .started: .started
      case .finished: .finished(try end())
      case .recovered: .recovered(try end())
      case .endedLate: .endedLate(try end())
      case .undoStarted: .undoStarted
      case .undoFinished: .undoFinished(try end())
      case .logged: .logged(try text(), try FlowLogLevel(name: text(.level)))
      case .progressed: .progressed(step: try text())
      case .warned: .warned(try text())
      case .added: .added(name: try text(.key), text: try text(.new))
      case .replaced: .replaced(name: try text(.key), old: try text(.old), new: try text(.new))
      case .removed: .removed(name: try text(.key), old: try text(.old))
      case .groupCreated: .groupCreated(count: try count())
      case .groupStarted: .groupStarted
      case .groupIsEmpty: .groupIsEmpty(input: try text(.key))
      case .groupFinished: .groupFinished(outputCount: try count())
      case .groupStopped: .groupStopped
      case .caseChosen: .caseChosen(try text())
      case .noCaseMatched: .noCaseMatched(held: try text())
      case .skipped: .skipped(held: try text())
      case .paused: .paused
      case .resumed: .resumed
      case .cancelRequested: .cancelRequested
      case .leftOut:
        .leftOut(
          events: try count(in: SavedNumbers.sums), items: try count(.items, in: SavedNumbers.sums))
      }
  }

  /// Encodes the fields of an event's kind.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    func put(_ name: Name, _ texts: KeyValuePairs<CodingKeys, String> = [:]) throws {
      try container.encode(name, forKey: .event)
      for (key, text) in texts { try container.encode(text, forKey: key) }
    }
    func put(_ name: Name, _ end: FlowEvent.Finish, _ data: [FlowEvent.Item]? = nil) throws {
      try put(name, [.end: end.name])
      try container.encodeIfPresent(end.errorText, forKey: .text)
      try container.encodeIfPresent(data, forKey: .data)
    }
    func put(_ name: Name, count: Int, items: Int? = nil) throws {
      try put(name)
      try container.encode(count, forKey: .count)
      try container.encodeIfPresent(items, forKey: .items)
    }
    switch self {
    case .flowStarted(let data):
      try put(.flowStarted)
      try container.encode(data, forKey: .data)
    case .flowFinished(let end, let data): try put(.flowFinished, end, data)
    case .started: try put(.started)
    case .finished(let end): try put(.finished, end)
    case .recovered(let end): try put(.recovered, end)
    case .endedLate(let end): try put(.endedLate, end)
    case .undoStarted: try put(.undoStarted)
    case .undoFinished(let end): try put(.undoFinished, end)
    case .logged(let text, let level): try put(.logged, [.text: text, .level: level.description])
    case .progressed(let step): try put(.progressed, [.text: step])
    case .warned(let text): try put(.warned, [.text: text])
    case .added(let name, let text): try put(.added, [.key: name, .new: text])
    case .replaced(let name, let old, let new): try put(.replaced, [.key: name, .old: old, .new: new])
    case .removed(let name, let old): try put(.removed, [.key: name, .old: old])
    case .groupCreated(let count): try put(.groupCreated, count: count)
    case .groupStarted: try put(.groupStarted)
    case .groupIsEmpty(let input): try put(.groupIsEmpty, [.key: input])
    case .groupFinished(let count): try put(.groupFinished, count: count)
    case .groupStopped: try put(.groupStopped)
    case .caseChosen(let text): try put(.caseChosen, [.text: text])
    case .noCaseMatched(let held): try put(.noCaseMatched, [.text: held])
    case .skipped(let held): try put(.skipped, [.text: held])
    case .paused: try put(.paused)
    case .resumed: try put(.resumed)
    case .cancelRequested: try put(.cancelRequested)
    case .leftOut(let events, let items): try put(.leftOut, count: events, items: items)
    }
  }
}

extension FlowEvent.Finish {
  fileprivate var name: String {
    switch self {
    case .successfully: "successfully"
    case .withError: "withError"
    case .withInsufficientInputData: "withInsufficientInputData"
    case .withMismatchInputDataType: "withMismatchInputDataType"
    case .cancelled: "cancelled"
    }
  }

  /// Creates a finish from its saved name; an unknown name counts as an error.
  fileprivate init(name: String, text: String?) {
    self =
      switch name {
      case "successfully": .successfully
      case "cancelled": .cancelled
      case "withInsufficientInputData": .withInsufficientInputData(text ?? "")
      case "withMismatchInputDataType": .withMismatchInputDataType(text ?? "")
      default: .withError(text ?? name)
      }
  }
}

extension FlowLogLevel {
  /// Creates a level from its saved name; an unknown name counts as `info`.
  fileprivate init(name: String) { self = Self.allCases.first { $0.description == name } ?? .info }
}
