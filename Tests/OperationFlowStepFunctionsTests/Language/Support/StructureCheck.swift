import OperationFlowStepFunctions

/// Finds the faults in a definition's structure.
struct StructureCheck {
  private(set) var problems: [String] = []
  private var names: Set<String> = []

  init(_ definition: StateMachineDefinition) throws {
    let machine = try Value(definition.json)
    check(machine)
    if machine["Comment"] == nil { problems.append("no comment") }
  }

  private mutating func check(_ list: Value) {
    let states = list["States"]?.members ?? [:]
    if states.isEmpty { problems.append("no states") }
    for (name, state) in states {
      if !names.insert(name).inserted { problems.append("\(name): used twice") }
      if name.utf16.count > 80 || name.isEmpty { problems.append("\(name): \(name.utf16.count) characters") }
      check(name, state)
      for branch in state["Branches"]?.elements ?? [] { check(branch) }
      if let processor = state["ItemProcessor"] { check(processor) }
    }
    checkReach(list["StartAt"]?.text ?? "", states)
  }

  private mutating func check(_ name: String, _ state: Value) {
    let type = state["Type"]?.text ?? ""
    let ends = state["End"] == .boolean(true)
    switch type {
    case "Choice":
      if state["Default"] == nil || state["Choices"]?.elements?.isEmpty ?? true {
        problems.append("\(name): no choice")
      }
      if ends || state["Next"] != nil { problems.append("\(name): a choice that goes on") }
    case "Succeed", "Fail":
      if ends || state["Next"] != nil { problems.append("\(name): an end that goes on") }
    case "Task", "Pass", "Map", "Parallel", "Wait":
      if ends == (state["Next"] != nil) { problems.append("\(name): neither Next nor End, or both") }
    default: problems.append("\(name): \(type)")
    }
    guard type == "Task" else { return }
    let timeout = state["TimeoutSeconds"]?.number ?? 0
    if !(1...99_999_999).contains(timeout) { problems.append("\(name): a time limit of \(timeout)") }
    if let heartbeat = state["HeartbeatSeconds"]?.number, heartbeat >= timeout || heartbeat < 1 {
      problems.append("\(name): a heartbeat of \(heartbeat) in \(timeout)")
    }
    if state["HeartbeatSeconds"] != state["Parameters"]?["heartbeatSeconds"] { problems.append("\(name): heartbeats") }
    for rule in state["Retry"]?.elements ?? [] {
      if let interval = rule["IntervalSeconds"]?.number, interval < 1 { problems.append("\(name): no interval") }
    }
  }

  private mutating func checkReach(_ start: String, _ states: [String: Value]) {
    var (reached, waiting) = (Set<String>(), [start])
    while let name = waiting.popLast() {
      guard let state = states[name] else {
        problems.append("no state \(name)")
        continue
      }
      guard reached.insert(name).inserted else { continue }
      waiting += [state["Next"], state["Default"]].compactMap { $0?.text }
      for list in ["Choices", "Catch"] { waiting += (state[list]?.elements ?? []).compactMap { $0["Next"]?.text } }
    }
    for name in states.keys where !reached.contains(name) { problems.append("\(name): can't be reached") }
  }
}
