import Foundation
import OperationFlow

extension FlowRecord: Codable {
  private enum CodingKeys: CodingKey {
    case flow, run, steps, itemFailures, ending, skipped, events
  }

  /// Decodes a record; events of unknown kinds are skipped and counted in `skippedEventCount`.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The decoder's errors.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let header = FlowRecord(
      flowName: try container.decode(String.self, forKey: .flow),
      steps: Step.all(try container.decode([SavedStep].self, forKey: .steps)), events: [],
      itemFailures: try container.decodeIfPresent([ItemFailure].self, forKey: .itemFailures) ?? [],
      ending: try container.decodeIfPresent(Ending.self, forKey: .ending),
      runID: try container.decodeIfPresent(String.self, forKey: .run))
    var events = try container.nestedUnkeyedContainer(forKey: .events)
    var (known, skipped) = ([FlowEvent](), try container.decodeIfPresent(in: SavedNumbers.sums, forKey: .skipped) ?? 0)
    while !events.isAtEnd {
      let event = try events.decode(KnownEvent.self).event
      if let event { known.append(event) } else { skipped += 1 }
    }
    self = header.with(known, skipped: skipped)
  }

  /// Encodes the record.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The encoder's errors.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(flowName, forKey: .flow)
    try container.encodeIfPresent(runID, forKey: .run)
    try container.encode(savedSteps, forKey: .steps)
    if !itemFailures.isEmpty { try container.encode(itemFailures, forKey: .itemFailures) }
    try container.encodeIfPresent(ending, forKey: .ending)
    if skippedEventCount > 0 { try container.encode(skippedEventCount, forKey: .skipped) }
    try container.encode(savedEvents, forKey: .events)
  }

  /// The saved form of the events.
  var savedEvents: [SavedEvent] { events.map { SavedEvent(event: $0, leavesOutPath: $0.step.flatMap(step) != nil) } }

  /// The saved form of an event: without its path if the record contains its step, which has the same path.
  struct SavedEvent: Encodable {
    fileprivate let event: FlowEvent
    fileprivate let leavesOutPath: Bool

    func encode(to encoder: any Encoder) throws { try event.encode(to: encoder, leavesOutPath: leavesOutPath) }
  }

  /// Returns the record with these events in place of its own, and with the paths of its steps in the events.
  package func with(_ events: [FlowEvent], skipped: Int = 0) -> FlowRecord {
    FlowRecord(
      flowName: flowName, steps: steps,
      events: events.map { event in
        var event = event
        event.path = event.step.flatMap(step)?.path ?? event.path
        return event
      }, itemFailures: itemFailures, ending: ending, skippedEventCount: skipped, runID: runID)
  }

  /// An event, or `nil` if its kind isn't known.
  private struct KnownEvent: Decodable {
    let event: FlowEvent?

    private enum CodingKeys: CodingKey { case event }

    init(from decoder: any Decoder) throws {
      let name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .event)
      event = FlowEvent.Kind.isKnown(name) ? try FlowEvent(from: decoder) : nil
    }
  }
}

extension FlowRecord.Step: Codable {
  private enum CodingKeys: CodingKey {
    case id, parent, name, number, path, kind, type, width, stopText, inputs, outputs, options, state, duration,
      beforeResume, ended, attempts, items, followUps
  }

  /// Decodes a step; unknown options are left out.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The decoder's errors.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let name = try container.decode(String.self, forKey: .name)
    let number = try container.decodeIfPresent(Int.self, forKey: .number)
    let kind: FlowRecord.Kind =
      switch try container.decode(String.self, forKey: .kind) {
      case "operation": .operation(type: try container.decode(String.self, forKey: .type))
      case "closure": .closure
      case "group":
        .group(
          width: try container.decode(Int.self, forKey: .width),
          stopText: try container.decodeIfPresent(String.self, forKey: .stopText))
      case "cases": .cases
      case "branch": .branch
      case "flow": .flow
      case "parallel": .parallel
      case "always": .always
      case let other: .other(other)
      }
    let options = try container.decodeIfPresent([String].self, forKey: .options) ?? []
    self.init(
      id: try container.decode(Int.self, forKey: .id),
      parent: try container.decodeIfPresent(Int.self, forKey: .parent), name: name, number: number, kind: kind,
      path: FlowPath(try container.decodeIfPresent(String.self, forKey: .path) ?? ""),
      inputs: try container.decodeIfPresent([String].self, forKey: .inputs) ?? [],
      outputs: try container.decodeIfPresent([String].self, forKey: .outputs) ?? [],
      options: Set(options.compactMap(FlowRecord.Option.init)),
      state: try container.decode(FlowRecord.State.self, forKey: .state),
      duration: try container.decodeIfPresent(in: SavedNumbers.times, forKey: .duration).map { .microseconds($0) },
      beforeResume: FlowReport.BeforeResume(
        try container.decodeIfPresent(String.self, forKey: .beforeResume),
        ended: try container.decodeIfPresent(in: SavedNumbers.times, forKey: .ended)),
      attempts: try container.decode(in: SavedNumbers.sums, forKey: .attempts),
      items: try container.decodeIfPresent(FlowReport.Items.self, forKey: .items),
      followUps: try container.decodeIfPresent(SavedFollowUps.self, forKey: .followUps)?.counts)
  }

  /// Encodes the step; its duration is in microseconds.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The encoder's errors.
  public func encode(to encoder: any Encoder) throws { try encode(to: encoder, leavesOutPath: false) }

  func encode(to encoder: any Encoder, leavesOutPath: Bool) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encodeIfPresent(parent, forKey: .parent)
    try container.encode(name, forKey: .name)
    try container.encodeIfPresent(number, forKey: .number)
    try container.encode(kind.name, forKey: .kind)
    switch kind {
    case .operation(let type): try container.encode(type, forKey: .type)
    case .group(let width, let stopText):
      try container.encode(width, forKey: .width)
      try container.encodeIfPresent(stopText, forKey: .stopText)
    case .closure, .cases, .branch, .flow, .parallel, .always, .other: break
    }
    if !leavesOutPath { try container.encode(path.description, forKey: .path) }
    if !inputs.isEmpty { try container.encode(inputs, forKey: .inputs) }
    if !outputs.isEmpty { try container.encode(outputs, forKey: .outputs) }
    if !options.isEmpty { try container.encode(options.map(\.rawValue).sorted(), forKey: .options) }
    try container.encode(state, forKey: .state)
    try container.encodeIfPresent(duration?.microsecondCount, forKey: .duration)
    try container.encodeIfPresent(beforeResume?.name, forKey: .beforeResume)
    try container.encodeIfPresent(beforeResume?.end?.microseconds, forKey: .ended)
    try container.encode(attempts, forKey: .attempts)
    try container.encodeIfPresent(items, forKey: .items)
    try container.encodeIfPresent(followUps.map(SavedFollowUps.init), forKey: .followUps)
  }
}

extension FlowReport.BeforeResume {
  /// The date of the end, if it is known.
  fileprivate var end: Date? { if case .ended(let date) = self { date } else { nil } }

  /// The name in saved records.
  fileprivate var name: String {
    switch self {
    case .began: "began"
    case .ended: "ended"
    }
  }

  /// Creates a value from its saved name; `nil` if there is no name, or an unknown one.
  fileprivate init?(_ name: String?, ended time: Int64?) {
    switch name {
    case "began": self = .began
    case "ended": self = .ended(time.map { Date(microseconds: $0) })
    default: return nil
    }
  }
}

extension FlowRecord.Kind {
  /// The name in saved records.
  package var name: String {
    switch self {
    case .operation: "operation"
    case .closure: "closure"
    case .group: "group"
    case .cases: "cases"
    case .branch: "branch"
    case .flow: "flow"
    case .parallel: "parallel"
    case .always: "always"
    case .other(let name): name
    }
  }
}
