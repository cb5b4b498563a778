import OperationFlow

/// When each step, attempt, item and undo of a run was at work, in rows that no two share at a time.
///
/// It lacks the attempts and undos of items whose beginning or end the record has left out.
struct PageTimeline {
  /// A piece of work with its beginning and end, in microseconds after the run's start.
  struct Span {
    /// The position of its step.
    let step: Int
    /// The index of the group's item; `nil` outside groups.
    let item: Int?
    let attempt: Int
    let isUndo: Bool
    let start: Int64
    fileprivate(set) var end: Int64
    fileprivate(set) var state: FlowRecord.State
    /// The position of the event that began it; `nil` if none did.
    let event: Int?
    fileprivate(set) var row = 0
    /// Whether the run would have been shorter without it.
    var isCritical = false
  }

  /// A group with more lanes shows the others in the last one.
  static let laneLimit = 32

  let steps: PageSteps
  var spans: [Span] = []
  /// The spans of each step itself: its attempts and its undo, or what encloses the steps within it.
  private(set) var ownSpans: [[Int]]
  /// The spans of a group's items, lane by lane.
  private(set) var lanes: [[[Int]]]
  /// The times of which the record has left out events of groups.
  let gaps: [Gap]
  /// The groups that have had more items at work than there are lanes, by their positions.
  private(set) var crowded: Set<Int> = []
  /// The row of each step.
  private(set) var rows: [Int] = []
  /// How many rows there are.
  private(set) var rowCount = 0
  /// The time of the run's end, or of the last event.
  let end: Int64

  init(_ record: FlowRecord, _ steps: PageSteps) {
    self.steps = steps
    ownSpans = Array(repeating: [], count: steps.steps.count)
    lanes = Array(repeating: [], count: steps.steps.count)
    let origin = record.events.first?.time.microseconds ?? 0
    end = record.lastEvent.map { $0.microseconds(since: origin) } ?? 0
    gaps = Self.gaps(record.events, steps, origin)
    collect(record.events, origin)
    encloseChildren()
    placeRows()
    markCriticalPath()
  }

  // MARK: Spans

  private struct Key: Hashable {
    let step: Int
    let item: Int?
    let isUndo: Bool
  }

  private mutating func collect(_ events: [FlowEvent], _ origin: Int64) {
    var open: [Key: Int] = [:]
    let leftOut = LeftOutPlaces(events)
    /// Spans whose ends the record has left out.
    var unknown: Set<Int> = []
    for (position, event) in events.enumerated() {
      guard let step = event.step.flatMap({ steps.places[$0] }) else { continue }
      let time = event.microseconds(since: origin)
      let (key, undo) = (
        Key(step: step, item: event.source.item, isUndo: false), Key(step: step, item: event.source.item, isUndo: true)
      )
      func span(isUndo: Bool = false) -> Span {
        Span(
          step: step, item: key.item, attempt: event.attempt, isUndo: isUndo, start: time, end: -1, state: .running,
          event: position)
      }
      switch event.kind {
      case .started, .groupCreated, .groupStarted:
        if key.item == nil, open[key] != nil { continue }
        if let earlier = open[key] { unknown.insert(earlier) }
        open[key] = add(span())
      case .undoStarted:
        if let earlier = open[undo], key.item != nil { unknown.insert(earlier) }
        open[undo] = add(span(isUndo: true))
      case .finished(let finish):
        if let index = open[key], key.item != nil, spans[index].attempt != event.attempt,
          leftOut.isGap(before: position, of: steps.steps[step].id)
        {
          unknown.insert(index)
        }
        close(&open, key, time, FlowRecord.State(finish))
      case .recovered, .groupFinished: close(&open, key, time, .succeeded)
      case .undoFinished(let finish): close(&open, undo, time, FlowRecord.State(finish))
      default: continue
      }
    }
    for index in open.values {
      let span = spans[index]
      if span.item == nil {
        finishOpen(index)
      } else if leftOut.isGap(after: span.event ?? 0, of: steps.steps[span.step].id) {
        unknown.insert(index)
      }
    }
    if !unknown.isEmpty { remove(unknown) }
  }

  /// Removes spans of items, before anything but steps refers to spans.
  private mutating func remove(_ removed: Set<Int>) {
    let kept = spans.indices.filter { !removed.contains($0) }
    let moved = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1, $0) })
    spans = kept.map { spans[$0] }
    ownSpans = ownSpans.map { $0.compactMap { moved[$0] } }
  }

  private mutating func add(_ span: Span) -> Int {
    spans.append(span)
    if span.item == nil { ownSpans[span.step].append(spans.count - 1) }
    return spans.count - 1
  }

  private mutating func close(_ open: inout [Key: Int], _ key: Key, _ time: Int64, _ state: FlowRecord.State) {
    guard let index = open.removeValue(forKey: key) else { return }
    (spans[index].end, spans[index].state) = (time, state)
  }

  /// Ends a span whose end isn't among the events: with its step, or with the record.
  private mutating func finishOpen(_ index: Int) {
    let step = steps.steps[spans[index].step]
    guard !spans[index].isUndo, let duration = step.duration else {
      spans[index].end = end
      return
    }
    let length = min(duration.microsecondCount, max(end - spans[index].start, 0))
    spans[index].end = spans[index].start + length
    spans[index].state = step.state
  }

  /// Adds a span around the steps within one that has no events of its own, such as cases.
  private mutating func encloseChildren() {
    for index in spans.indices where spans[index].end < 0 { spans[index].end = end }
    var enclosed = spans.indices.reduce(into: [Int: (start: Int64, end: Int64)]()) { found, index in
      let span = spans[index]
      guard !span.isUndo else { return }
      let known = found[span.step] ?? (span.start, span.end)
      found[span.step] = (min(known.start, span.start), max(known.end, span.end))
    }
    for index in steps.steps.indices.reversed() {
      guard let within = enclosed[index] else { continue }
      if hasRow(index), ownSpans[index].allSatisfy({ spans[$0].isUndo }) {
        spans.append(
          Span(
            step: index, item: nil, attempt: 1, isUndo: false, start: within.start, end: within.end,
            state: steps.steps[index].state, event: nil))
        ownSpans[index].insert(spans.count - 1, at: 0)
      }
      guard let parent = steps.parents[index] else { continue }
      let known = enclosed[parent] ?? within
      enclosed[parent] = (min(known.start, within.start), max(known.end, within.end))
    }
  }

  // MARK: Rows

  private mutating func placeRows() {
    placeItems()
    var heights = lanes.map { $0.count + 1 }
    for index in steps.steps.indices.reversed() {
      let within = steps.children[index].map { heights[$0] }
      guard !within.isEmpty else { continue }
      let own = hasRow(index) ? 1 : 0
      heights[index] = own + (isParallel(index) ? within.reduce(0, +) : within.max() ?? 0)
    }
    rows = Array(repeating: 0, count: steps.steps.count)
    for index in steps.steps.indices {
      var row = rows[index] + (hasRow(index) ? 1 : 0)
      for child in steps.children[index] {
        rows[child] = row
        if isParallel(index) { row += heights[child] }
      }
    }
    for index in spans.indices where spans[index].item == nil { spans[index].row = rows[spans[index].step] }
    for (step, lanes) in lanes.enumerated() {
      for (lane, items) in lanes.enumerated() {
        for index in items { spans[index].row = rows[step] + 1 + lane }
      }
    }
    rowCount = (steps.roots.map { heights[$0] }.max() ?? 0)
  }

  /// Gives each item the first lane that is free when it begins.
  private mutating func placeItems() {
    for index in spans.indices where spans[index].item != nil && !spans[index].isUndo {
      let span = spans[index]
      let free = lanes[span.step].firstIndex { lane in lane.last.map { spans[$0].end <= span.start } ?? true }
      if let free {
        lanes[span.step][free].append(index)
      } else if lanes[span.step].count < Self.laneLimit {
        lanes[span.step].append([index])
      } else {
        lanes[span.step][Self.laneLimit - 1].append(index)
        crowded.insert(span.step)
      }
    }
    for index in spans.indices where spans[index].item != nil && spans[index].isUndo {
      if lanes[spans[index].step].isEmpty { lanes[spans[index].step].append([]) }
      lanes[spans[index].step][0].append(index)
    }
  }

  private func isParallel(_ index: Int) -> Bool { steps.steps[index].kind == .parallel }

  /// Whether a step has a row: a branch of cases has none, because the cases' own row names it.
  func hasRow(_ index: Int) -> Bool {
    guard steps.steps[index].kind == .branch, let parent = steps.parents[index] else { return true }
    return steps.steps[parent].kind != .cases
  }
}

extension FlowRecord.State {
  fileprivate init(_ finish: FlowEvent.Finish) {
    switch finish {
    case .successfully: self = .succeeded
    case .cancelled: self = .cancelled
    case .withError, .withInsufficientInputData, .withMismatchInputDataType: self = .failed
    }
  }
}
