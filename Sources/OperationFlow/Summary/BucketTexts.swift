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
