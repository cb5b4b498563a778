import OperationFlow

/// The times at which the attempts of each step, item and undo of a run were at work, each with its row in the chart.
///
/// An attempt or undo of an item isn't included if the record has left out its beginning or end.
struct PageTimeline {
  /// A piece of work with its beginning and end, in microseconds after the run's start.
  struct Span {
    /// The position of the work's step.
    let step: Int
    /// The index of the group's item; `nil` outside groups.
    let item: Int?
    let attempt: Int
    let isUndo: Bool
    let start: Int64
    let end: Int64
    let state: FlowRecord.State
    /// The position of the event that reported the beginning; `nil` if there is none.
    let event: Int?
    fileprivate(set) var row = 0
    /// True if the work is on the critical path.
    var isCritical = false
  }

  /// The largest number of lanes of a group; the last lane has all items for which no other lane has room.
  static let laneLimit = 32

  let tree: StepTree
  private let eventCount: Int
  var spans: [Span] = []
  /// The spans of each step itself: its attempts and its undo, or one span around the steps within it.
  private(set) var ownSpans: [[Int]]
  /// The spans of a group's items, lane by lane.
  private(set) var lanes: [[[Int]]]
  /// The periods in which the record has left out events of groups.
  let gaps: [Gap]
  /// The positions of the groups that have had more items at work than there are lanes.
  private(set) var crowded: Set<Int> = []
  /// The row of each step; a step without its own row has that of its parent.
  private(set) var rows: [Int] = []
  /// The number of rows.
  private(set) var rowCount = 0
  /// The time of the last event, or the present time of a run under way, in microseconds after the run's start.
  let end: Int64

  /// Places the work of a record.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - tree: The steps of the record.
  ///   - now: The present time of a run under way, in microseconds since 1970; `nil` for one that has ended.
  init(_ record: FlowRecord, _ tree: StepTree, until now: Int64? = nil) {
    self.tree = tree
    eventCount = record.events.count
    ownSpans = Array(repeating: [], count: tree.steps.count)
    lanes = Array(repeating: [], count: tree.steps.count)
    let origin = record.events.first?.time.microseconds ?? 0
    let last = record.lastEvent.map { $0.microseconds(since: origin) } ?? 0
    end = max(last, now.map { $0.microseconds(since: origin) } ?? last)
    gaps = Self.gaps(record.events, tree, origin)
    collect(Timeline(record, until: now).spans, origin)
    placeItems()
    placeRows()
    markCriticalPath()
  }

  // MARK: Spans

  private mutating func collect(_ timed: [Timeline.Span], _ origin: Int64) {
    spans = timed.flatMap { pieces(of: $0, origin) }.sorted { $0.start < $1.start }
    for index in spans.indices where spans[index].item == nil { ownSpans[spans[index].step].append(index) }
  }

  /// Returns a span for each attempt of a step, item or undo, or one for a step without attempts, such as cases.
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
        start: begin.microseconds(since: origin), end: end.microseconds(since: origin), state: state,
        event: event)
    }
    if timed.attempts.isEmpty {
      // A step without events of its own has a position after the last one.
      let event = timed.events.lowerBound
      return [
        piece(timed.begin, timed.end, timed.state, attempt: 1, event: event < eventCount ? event : nil)
      ]
    }
    return timed.attempts.compactMap { attempt in
      guard let times = attempt.times(in: timed) else { return nil }
      let state = attempt.finish.map(FlowRecord.State.init) ?? timed.state
      return piece(times.begin, times.end, state, attempt: attempt.number, event: attempt.event)
    }
  }

  // MARK: Rows

  /// Places each item on the first lane that is free when the item begins.
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

  /// Adds a row for each step that has begun, in the order of the flow, and a row for each lane of a group.
  private mutating func placeRows() {
    rows = Array(repeating: 0, count: tree.steps.count)
    for index in tree.steps.indices {
      guard hasRow(index), !(ownSpans[index].isEmpty && lanes[index].isEmpty) else {
        rows[index] = tree.parents[index].map { rows[$0] } ?? 0
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

  /// Returns true if a step has its own row; a branch of cases has none, because the row of the cases names the branch.
  private func hasRow(_ index: Int) -> Bool {
    guard tree.steps[index].kind == .branch, let parent = tree.parents[index] else { return true }
    return tree.steps[parent].kind != .cases
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
