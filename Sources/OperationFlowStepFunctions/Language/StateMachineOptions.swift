/// The options with which a flow is exported as a state machine.
public struct StateMachineOptions: Sendable, Hashable {
  /// The treatment of sensitive values, which would be readable in the history of executions.
  ///
  /// Values are sensitive if their keys are, or if the flow's `FlowRedaction` redacts their names.
  public enum SensitiveValues: String, Sendable, Hashable {
    /// A flow that has any is refused.
    case refused
    /// Workers encrypt the values with a `FlowSealing`, which all workers of a flow need.
    case sealed
    /// The values are sent in plain text.
    case plain
  }

  /// The time limit for the task of a step without `.timeout`; rounded up to seconds, from 1 to 99,999,999.
  public var taskTimeout: Duration
  /// The longest time between two heartbeats of a worker; `nil` to expect none.
  ///
  /// If a task's time limit isn't longer than this, half of that limit is used instead, or none if the limit is less
  /// than four seconds.
  public var heartbeat: Duration?
  /// The number of times that a task without `.retry` goes to another worker if a worker is lost; at least 0.
  public var redeliveries: Int
  /// The treatment of sensitive values.
  public var sensitiveValues: SensitiveValues
  /// The names of the groups that become distributed maps, besides those that are wider than 40.
  public var distributedGroups: Set<String>

  /// Creates options.
  ///
  /// - Parameters:
  ///   - taskTimeout: The time limit for the task of a step without `.timeout`; rounded up to seconds, from 1 to
  ///     99,999,999.
  ///   - heartbeat: The longest time between two heartbeats of a worker; `nil` to expect none.
  ///   - redeliveries: The number of times that a task without `.retry` goes to another worker if a worker is lost; at
  ///     least 0.
  ///   - sensitiveValues: The treatment of sensitive values.
  ///   - distributedGroups: The names of the groups that become distributed maps.
  public init(
    taskTimeout: Duration = .seconds(3600), heartbeat: Duration? = .seconds(60), redeliveries: Int = 3,
    sensitiveValues: SensitiveValues = .refused, distributedGroups: Set<String> = []
  ) {
    self.taskTimeout = taskTimeout
    self.heartbeat = heartbeat
    self.redeliveries = redeliveries
    self.sensitiveValues = sensitiveValues
    self.distributedGroups = distributedGroups
  }
}
