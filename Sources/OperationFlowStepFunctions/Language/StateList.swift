/// The states of a machine, of a parallel branch, or of a map's items; transitions stay within the list.
struct StateList {
  typealias State = [String: LanguageJSON]

  /// The name that stands for the list's end.
  let end: String
  private(set) var states: [String: State] = [:]
  /// True if a state leads to the end that can't end the list itself, so the list needs a `Succeed` state.
  private var needsEnd = false

  init(end: String) { self.end = end }

  /// Adds a state that is followed by another, or ends the list; returns its name.
  mutating func add(_ name: String, _ state: State, next: String) -> String {
    states[name] = state.merging(next == end ? ["End": .boolean(true)] : ["Next": .text(next)]) { $1 }
    return name
  }

  /// Adds a state that chooses its successor itself, or that ends.
  mutating func add(_ name: String, _ state: State) -> String {
    states[name] = state
    return name
  }

  /// Returns the name of a successor, for a state that can't end the list itself.
  mutating func target(_ name: String) -> String {
    if name == end { needsEnd = true }
    return name
  }

  /// Returns the start and the reachable states, as a part of a definition: services accept no unreachable ones.
  func parts(start: String) -> [String: LanguageJSON] {
    var states = states
    if needsEnd || start == end { states[end] = ["Type": "Succeed"] }
    var (reached, waiting) = ([String: LanguageJSON](), [start])
    while let name = waiting.popLast() {
      guard reached[name] == nil, let state = states[name] else { continue }
      reached[name] = .object(state)
      waiting += Self.targets(of: state)
    }
    return ["StartAt": .text(start), "States": .object(reached)]
  }

  /// Returns the names of the states that a state leads to.
  private static func targets(of state: State) -> [String] {
    var sources = [state]
    for member in ["Choices", "Catch"] {
      guard case .array(let rules)? = state[member] else { continue }
      for case .object(let rule) in rules { sources.append(rule) }
    }
    return sources.flatMap { [$0["Next"], $0["Default"]] }.compactMap {
      if case .text(let name)? = $0 { name } else { nil }
    }
  }
}
