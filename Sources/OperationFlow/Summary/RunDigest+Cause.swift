extension RunDigest {
  /// The place of a failure, and the values that the step had read.
  package struct Cause: Sendable {
    package let failure: Failure
    /// The path of the step; `nil` if no step caused the failure.
    package let path: FlowPath?
    /// The values of the step's declared inputs when it began, after the item itself if an item failed.
    package let inputs: [FlowEvent.Item]

    /// The place where the run failed, and the values that the step had read; `nil` if no step caused the failure.
    package var placeText: String? {
      guard let path else { return nil }
      let place = LineText.escaped(ValueText.cut(path.description, limit: 300))
      let values = inputsText.map { "; it read \($0)" } ?? ""
      return "Failed at: \(place)\(failure.item.map { ", item \($0.itemNumber)" } ?? "")\(values)"
    }

    /// At most 10 values that the step had read, of at most 100 characters each; `nil` if it declares none.
    var inputsText: String? {
      guard !inputs.isEmpty else { return nil }
      let shown = inputs.prefix(10).map { input in
        LineText.escaped("\(input.name) = \(ValueText.cut(input.text, limit: 100))")
      }
      let rest = inputs.count - shown.count
      return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
  }

  package func cause(of failure: Failure) -> Cause {
    let step = failure.step.flatMap(step)
    var inputs: [FlowEvent.Item] = []
    if let index = failure.item, let item = itemFailures.last(where: { $0.step == step?.id && $0.index == index }) {
      inputs.append(FlowEvent.Item(name: "item", text: item.input))
    }
    if let step { inputs += values(step.inputs, before: step.id, failure) }
    return Cause(failure: failure, path: step?.path, inputs: inputs)
  }

  /// Returns the values that a step, or its item, had when its last attempt began, unless they are uncertain.
  private func values(_ names: [String], before step: Int, _ failure: Failure) -> [FlowEvent.Item] {
    if names.isEmpty { return [] }
    let start = events.lastIndex { $0.step == step && $0.source.item == failure.item && $0.kind == .started }
    let end = events.lastIndex { event in
      if case .finished = event.kind { event.step == step && event.source.item == failure.item } else { false }
    }
    let texts = BucketTexts(events, before: start ?? end ?? events.endIndex)
    // The start of the last attempt may be among the events that were left out.
    let isStart = start.map { events[$0].attempt >= failure.attempt } ?? false
    let isKnown = isStart || !events.contains(where: \.kind.isLeftOut)
    return names.map { FlowEvent.Item(name: $0, text: (isKnown ? texts.text(of: $0) : nil) ?? BucketTexts.unknown) }
  }
}

/// The texts of the values in a run's data bucket, from its events in their order, or in the reverse order.
///
/// Where a record has left out events, anything may have been written, so only the values written after such a gap are
/// known.
package struct BucketTexts: Sendable {
  package static let unknown = "not recorded"

  private var isBackwards = false
  private var texts = [String: String]()
  /// The names of values that are known to be missing; if it `isComplete`, all values without a text are missing.
  private var missing: Set<String> = []
  private var isComplete = false
  /// The number of the last applied event.
  private var number = 0

  package init() {}

  /// Finds the values before the event at a position, from the events before it, and if they aren't enough, after it.
  package init(_ events: [FlowEvent], before place: Int) {
    for event in events.prefix(place) { apply(event) }
    if events.indices.contains(place) { reach(events[place]) }
    if isComplete { return }
    var after = BucketTexts()
    after.isBackwards = true
    for event in events.dropFirst(place).reversed() { after.apply(event) }
    for (name, text) in after.texts where self.text(of: name) == nil { texts[name] = text }
    missing.formUnion(after.missing)
    isComplete = after.isComplete
  }

  /// Returns the text of a value, changed by `shown`, or that it is missing; `nil` if it isn't recorded.
  package func text(of name: String, shown: (String) -> String = { $0 }) -> String? {
    texts[name].map(shown) ?? (isComplete || missing.contains(name) ? "missing" : nil)
  }

  /// Applies the next event, or reverts the previous one; values that items write aren't in the flow's bucket.
  package mutating func apply(_ event: FlowEvent) {
    reach(event)
    switch event.kind {
    case .flowStarted(let items) where !isBackwards: hold(items)
    case .flowFinished(_, let items) where isBackwards: hold(items)
    case .added(let name, let text) where event.source.item == nil: set(name, old: nil, new: text)
    case .replaced(let name, let old, let new) where event.source.item == nil: set(name, old: old, new: new)
    case .removed(let name, let old) where event.source.item == nil: set(name, old: old, new: nil)
    default: break
    }
  }

  /// Moves to an event, and removes all values if events before it are missing.
  private mutating func reach(_ event: FlowEvent) {
    let distance = isBackwards ? number &- event.number : event.number &- number
    if event.kind.isLeftOut || distance > 1 { hold([], isAll: false) }
    number = event.number
  }

  private mutating func hold(_ items: [FlowEvent.Item], isAll: Bool = true) {
    texts = .init()
    missing = []
    isComplete = isAll
    for item in items { texts[item.name] = item.text }
  }

  private mutating func set(_ name: String, old: String?, new: String?) {
    let text = isBackwards ? old : new
    texts[name] = text
    if text == nil { missing.insert(name) } else { missing.remove(name) }
  }
}
