import OperationFlow

/// The times at which each step, attempt, item and undo of a run was at work, each in a row of the chart.
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
    let end: Int64
    let state: FlowRecord.State
    /// The position of the event that began it; `nil` if none did.
    let event: Int?
    fileprivate(set) var row = 0
    /// True if the run would have been shorter without it.
    var isCritical = false
  }

  /// The largest number of lanes of a group; the last one has all items for which there is no room in another.
  static let laneLimit = 32

  let steps: PageSteps
  var spans: [Span] = []
  /// The spans of each step itself: its attempts and its undo, or one around the steps within it.
  private(set) var ownSpans: [[Int]]
  /// The spans of a group's items, lane by lane.
  private(set) var lanes: [[[Int]]]
  /// The times of which the record has left out events of groups.
  let gaps: [Gap]
  /// The groups that have had more items at work than there are lanes, by their positions.
  private(set) var crowded: Set<Int> = []
  /// The row of each step, which is that of its parent if it has none of its own.
  private(set) var rows: [Int] = []
  /// The number of rows.
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
    collect(Timeline(record).spans, origin)
    placeItems()
    placeRows()
    markCriticalPath()
  }

  // MARK: Spans

  private mutating func collect(_ timed: [Timeline.Span], _ origin: Int64) {
    spans = timed.flatMap { pieces(of: $0, origin) }.sorted { $0.start < $1.start }
    for index in spans.indices where spans[index].item == nil { ownSpans[spans[index].step].append(index) }
  }

  /// The attempts of a step, an item or an undo; or a step without attempts of its own, such as cases, as a whole.
  private func pieces(of timed: Timeline.Span, _ origin: Int64) -> [Span] {
    let work: (step: Int, item: Int?, isUndo: Bool)
    switch timed.subject {
    case .run: return []
    case .step(let step): work = (step, nil, false)
    case .item(let step, let index): work = (step, index, false)
    case .undo(let step, let index): work = (step, index, true)
    }
    guard hasRow(work.step) else { return [] }
    func piece(_ begin: Int64, _ end: Int64, _ state: FlowRecord.State, attempt: Int, event: Int?) -> Span {
      Span(
        step: work.step, item: work.item, attempt: attempt, isUndo: work.isUndo,
        start: PageTimeline.clamp(begin, since: origin), end: PageTimeline.clamp(end, since: origin), state: state,
        event: event)
    }
    if timed.attempts.isEmpty {
      return [piece(timed.begin, timed.end, timed.state, attempt: 1, event: timed.events.lowerBound)]
    }
    return timed.attempts.compactMap { attempt in
      guard let times = attempt.times(in: timed) else { return nil }
      let state = attempt.finish.map(FlowRecord.State.init) ?? timed.state
      return piece(times.begin, times.end, state, attempt: attempt.number, event: attempt.event)
    }
  }

  /// A time in microseconds after a moment, within 35 years, so that sums of such times are numbers too.
  private static func clamp(_ time: Int64, since origin: Int64) -> Int64 {
    let (time, isTooLarge) = time.subtractingReportingOverflow(origin)
    return isTooLarge ? 0 : min(max(time, -(Int64(1) << 50)), Int64(1) << 50)
  }

  // MARK: Rows

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

  /// Gives each step that has begun a row, in the order of the flow, and a group one more for each of its lanes.
  private mutating func placeRows() {
    rows = Array(repeating: 0, count: steps.steps.count)
    for index in steps.steps.indices {
      guard hasRow(index), !(ownSpans[index].isEmpty && lanes[index].isEmpty) else {
        rows[index] = steps.parents[index].map { rows[$0] } ?? 0
        continue
      }
      rows[index] = rowCount
      for own in ownSpans[index] { spans[own].row = rowCount }
      for (lane, items) in lanes[index].enumerated() {
        for item in items { spans[item].row = rowCount + 1 + lane }
      }
      rowCount += 1 + lanes[index].count
    }
  }

  /// True if a step has a row: a branch of cases has none, because the cases' own row names it.
  private func hasRow(_ index: Int) -> Bool {
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
