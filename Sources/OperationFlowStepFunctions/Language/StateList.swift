/// The states of a machine, of a parallel branch, or of a map's items: transitions stay within it.
struct StateList {
  typealias State = [String: LanguageJSON]

  /// The name that stands for the list's end.
  let end: String
  private(set) var states: [String: State] = [:]
  /// Whether a state goes to the end that can't end itself.
  private var needsEnd = false

  init(end: String) { self.end = end }

  /// Adds a state that is followed by another, or ends the list; returns its name.
  mutating func add(_ name: String, _ state: State, next: String) -> String {
    states[name] = state.merging(next == end ? ["End": .boolean(true)] : ["Next": .text(next)]) { $1 }
    return name
  }

  /// Adds a state that decides itself what follows, or that ends.
  mutating func add(_ name: String, _ state: State) -> String {
    states[name] = state
    return name
  }

  /// The name of what follows, for a state that can't end the list itself.
  mutating func target(_ name: String) -> String {
    if name == end { needsEnd = true }
    return name
  }

  /// The start and the states that can be reached from it, as a part of a definition: services take no others.
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

  /// The names of the states that a state leads to.
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
