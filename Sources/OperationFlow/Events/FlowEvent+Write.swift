extension FlowEvent.Kind {
  /// The event of a write, from the texts of the old and the new value; `nil` if there was no value and still is none.
  static func written(_ name: String, old: String?, new: String?) -> FlowEvent.Kind? {
    let name = ValueText.name(name)
    return switch (old, new) {
    case (nil, let new?): .added(name: name, text: new)
    case (let old?, let new?): .replaced(name: name, old: old, new: new)
    case (let old?, nil): .removed(name: name, old: old)
    case (nil, nil): nil
    }
  }

  /// The texts of values that it has, with their names.
  var values: [FlowEvent.Item] {
    switch self {
    case .flowStarted(let items), .flowFinished(_, let items): items
    case .added(let name, let text), .removed(let name, let text): [FlowEvent.Item(name: name, text: text)]
    case .replaced(let name, let old, let new):
      [FlowEvent.Item(name: name, text: old), FlowEvent.Item(name: name, text: new)]
    default: []
    }
  }

  /// Whether it reports that a name was written or removed.
  var isWrite: Bool {
    switch self {
    case .added, .replaced, .removed: true
    default: false
    }
  }
}
