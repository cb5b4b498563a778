import OperationFlowStepFunctions

/// The cost of executions in which everything succeeds at once, counted from the definition of the exported flow.
///
/// The events of each kind of state are those of the "HistoryEvent" type in the API reference of AWS Step Functions.
struct ExecutionCost: Equatable {
  /// The events in the history of the execution itself, and in the largest history of an execution that it starts.
  private(set) var (events, eventsOfChild) = (0, 0)
  /// The number of entered states, in all executions.
  private(set) var transitions = 0
  /// The number of tasks for workers.
  private(set) var tasks = 0
  /// The number of executions that distributed maps start.
  private(set) var children = 0

  init(_ definition: StateMachineDefinition, itemCount: Int) throws {
    self.init(try Value(definition.json), itemCount)
    // The execution's own start and end.
    events += 2
  }

  private init(_ list: Value, _ itemCount: Int) {
    let states = list["States"]?.members ?? [:]
    var next = list["StartAt"]?.text
    while let name = next, let state = states[name] {
      add(state, itemCount)
      next = state["Next"]?.text ?? state["Default"]?.text
    }
  }

  private mutating func add(_ state: Value, _ itemCount: Int) {
    transitions += 1
    switch state["Type"]?.text {
    case "Task":
      // Entered, scheduled, started, succeeded, exited.
      events += 5
      tasks += 1
    case "Map":
      // Entered, started, succeeded, exited.
      events += 4
      guard let processor = state["ItemProcessor"] else { return }
      let item = ExecutionCost(processor, itemCount)
      transitions += itemCount * item.transitions
      tasks += itemCount * item.tasks
      if processor["ProcessorConfig"]?["Mode"]?.text == "DISTRIBUTED" {
        children += itemCount
        eventsOfChild = max(eventsOfChild, item.events + 2)
      } else {
        // Each item starts and succeeds.
        events += itemCount * (item.events + 2)
      }
    case "Parallel":
      events += 4
      for branch in state["Branches"]?.elements ?? [] {
        let inner = ExecutionCost(branch, itemCount)
        events += inner.events
        transitions += inner.transitions
        tasks += inner.tasks
      }
    default:
      // Entered and exited.
      events += 2
    }
  }
}
