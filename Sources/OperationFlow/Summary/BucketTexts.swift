/// The texts of the values in a run's data bucket, as events tell them from the first to the last, or the other way.
///
/// Where a record has left out events, anything may have been written: only what is written beyond that is known.
package struct BucketTexts: Sendable {
  package static let unknown = "not recorded"

  private var isBackwards = false
  private var texts = [String: String]()
  /// The names of values that are known to be missing; all others are as well if it `isComplete`.
  private var missing: Set<String> = []
  private var isComplete = false
  /// The number of the event that was applied last.
  private var number = 0

  package init() {}

  /// The values before the event at a position: what the events before don't tell may follow from those after.
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

  /// The text of a value as `shown` makes it, or that it is missing; `nil` if that isn't recorded.
  package func text(of name: String, shown: (String) -> String = { $0 }) -> String? {
    texts[name].map(shown) ?? (isComplete || missing.contains(name) ? "missing" : nil)
  }

  /// Applies the next event, or undoes the one before; what items write for themselves isn't in the flow's bucket.
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

  /// Forgets what may have changed on the way to an event.
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
