import Foundation
import OperationFlow

/// A summary with all details of each step: its times, the values that it read and wrote, its lines and its attempts.
struct DetailedSummary {
  private let record: FlowRecord
  private let timeText: (Date) -> String
  private let tree: StepTree
  /// The time that each step waited before it began.
  private let waits: [Int: Duration]
  /// The keys in the conditions of each cases step; the first 5.
  private var caseKeys: [Int: [String]] = [:]
  /// The lines below each step, in order.
  private var notes: [Int: [String]] = [:]

  init(_ record: FlowRecord, style: FlowSummaryStyle) {
    self.record = record
    timeText = style.timeText()
    tree = StepTree(record)
    waits = Timeline(record).waits(in: record)
    for step in record.steps {
      guard step.kind == .branch, let parent = step.parent, let end = step.name.firstIndex(of: "=") else { continue }
      let key = String(step.name[..<end])
      if caseKeys[parent]?.contains(key) != true, caseKeys[parent, default: []].count < 5 {
        caseKeys[parent, default: []].append(key)
      }
    }
    collect()
  }

  var text: String {
    let earlier = record.hadEnded ? ", which had ended before" : ""
    var text = "====== \(LineText.escaped(record.flowName)), in detail\(earlier) ======\n"
    if let time = (record.events.first?.date).map(timeText), !time.isEmpty { text += "began: \(time.dropLast())\n" }
    for (step, depth) in zip(tree.steps, tree.depths) { append(step, depth: depth, to: &text) }
    if record.skippedEventCount > 0 {
      let (count, isOne) = (record.skippedEventCount, record.skippedEventCount == 1)
      text += isOne ? "1 event of an unknown kind was skipped\n" : "\(count) events of unknown kinds were skipped\n"
    }
    guard let ending = record.ending else { return text + "The run is under way.\n" }
    text += "Flow \(ending.result.rawValue) after \(DurationText.of(ending.duration))\(LineText.listed(ending.text))\n"
    if let cause = record.cause, let place = cause.placeText {
      text += place + "\n  " + LineText.listed(cause.problem) + "\n"
      if let remedy = cause.remedy { text += "  " + LineText.escaped(remedy) + "\n" }
    }
    return text
  }

  // MARK: Steps

  private func append(_ step: FlowRecord.Step, depth: Int, to text: inout String) {
    let indent = String(repeating: "  ", count: min(depth, 40))
    let number = step.number.map { "\($0). " } ?? ""
    text += "\(indent)\(number)\(LineText.escaped(step.name)) (\(step.kind.words)): \(step.state.words)"
    if let items = step.items { text += ", " + items.countText }
    if let duration = step.duration { text += ", ran " + DurationText.of(duration) }
    if let before = step.beforeResume { text += ", \(before)" }
    if step.state != .skipped, let wait = waits[step.id], wait > .milliseconds(1) {
      text += ", waited " + DurationText.of(wait)
    }
    text += "\n"
    for line in notes[step.id] ?? [] { text += "\(indent)    \(line)\n" }
  }

  // MARK: Events of steps

  /// Collects the lines of each step in one pass.
  private mutating func collect() {
    var bucket = BucketTexts()
    let failures = ListedFailures(record)
    var lastEnds: [Attempt: Date] = [:]
    for event in record.events {
      bucket.apply(event)
      guard let step = event.step else { continue }
      if failures.hides(event) {
        if let line = failures.takeLine(for: event) { notes[step, default: []].append(line) }
        continue
      }
      let place = Attempt(step: step, item: event.source.item)
      let who = event.source.item.map { $0.itemNumber + " " } ?? ""
      switch event.kind {
      case .started:
        if event.attempt == 1, event.source.item == nil { addInputs(of: step, bucket) }
        if event.attempt > 1, let end = lastEnds[place] {
          let delay = DurationText.of(.seconds(max(0, event.time.timeIntervalSince(end))))
          notes[step, default: []].append("\(who)attempt \(event.attempt) after \(delay)")
        }
      case .finished(let finish):
        lastEnds[place] = event.isRetried ? event.time : nil
        // A success is in the step's own line, and a group may have any number of items that succeed.
        guard finish != .successfully else { continue }
        let attempt = event.isRetried || event.attempt > 1 ? "attempt \(event.attempt) ended " : "ended "
        notes[step, default: []].append(
          timeText(event.date) + who + attempt + LineText.escaped(finish.summaryText))
      case .groupCreated, .groupFinished: continue
      case .caseChosen(let text):
        notes[step, default: []].append("taken: \(LineText.escaped(text))\(reason(step, bucket))")
      case .added, .replaced, .removed:
        if event.source.item != nil { continue }
        notes[step, default: []].append(timeText(event.date) + "wrote: " + event.writeText)
      default:
        notes[step, default: []].append(timeText(event.date) + who + event.summaryText(record))
      }
    }
  }

  private struct Attempt: Hashable {
    let step: Int
    let item: Int?
  }

  private mutating func addInputs(of step: Int, _ bucket: BucketTexts) {
    guard let inputs = record.step(step)?.inputs, !inputs.isEmpty else { return }
    let values = inputs.map { name in
      "\(name) = " + (bucket.text(of: name) { ValueText.cut($0, limit: 100) } ?? BucketTexts.unknown)
    }
    notes[step, default: []].append("read: " + LineText.escaped(values.joined(separator: ", ")))
  }

  /// Returns the reason for the choice of a branch: the values of the keys in the branches' conditions.
  private func reason(_ step: Int, _ bucket: BucketTexts) -> String {
    let held = (caseKeys[step] ?? []).map { name in
      "<\(name)> is " + (bucket.text(of: name) { "<\(ValueText.cut($0, limit: 100))>" } ?? BucketTexts.unknown)
    }
    return held.isEmpty ? "" : ", because " + LineText.escaped(held.joined(separator: ", "))
  }
}

extension FlowEvent {
  /// The key and the value of a write, without the writer.
  fileprivate var writeText: String {
    let text =
      switch kind {
      case .added(let name, let text): "\(name) = \(text)"
      case .replaced(let name, let old, let new): "\(name) = \(new), was \(old)"
      case .removed(let name, let old): "\(name) removed, was \(old)"
      default: ""
      }
    return LineText.escaped(text)
  }
}

extension FlowRecord.Kind {
  /// The kind in words.
  fileprivate var words: String {
    switch self {
    case .operation(let type): LineText.escaped(type)
    case .group(let width, _): width == .max ? "group" : "group, width \(width)"
    case .closure, .cases, .branch, .flow, .parallel, .always: name
    case .other(let name): LineText.escaped(name)
    }
  }
}
