/// Where the tasks of a run get the task-local values of the caller that started it.
enum TaskInheritance: Sendable {
  /// Nowhere, because no task is expected.
  case none
  /// From a task that is created where the run is started.
  case spawner(TaskSpawner)
  /// From the run's first lane, which is a task.
  case firstLane
  /// From the task that awaits the run: it creates others when the first one is needed, so that most runs need none.
  case caller

  var isFirstLane: Bool { if case .firstLane = self { true } else { false } }
  var isCaller: Bool { if case .caller = self { true } else { false } }
}
