import OperationFlow

extension FlowWorker {
  /// Creates a worker that performs the tasks of an exported flow.
  ///
  /// ```swift
  /// let worker = FlowWorker(flow, activity: activity, client: client, concurrency: 4)
  /// try await worker.run()
  /// ```
  ///
  /// - Parameters:
  ///   - flow: The flow that was exported. Steps that are added to it later have no effect.
  ///   - activity: The ARN of the activity that the flow was exported with.
  ///   - client: The client.
  ///   - concurrency: The number of tasks to perform at once; the worker polls only while there is room. Below 1 counts
  ///     as 1.
  ///   - name: The worker's name in the history of executions; `nil` for one made of the host's name and the process's
  ///     number.
  ///   - gracePeriod: The time in which running tasks may finish after ``run()`` is cancelled.
  ///   - awaitsOpenPolls: True to wait for open polls, too, for the grace period, instead of cancelling them.
  ///   - sealing: The encryption of sensitive values; needed if the flow was exported with `.sealed` for these.
  ///   - largeValues: The store of values that are too large for the service.
  ///   - clock: The clock of heartbeats, delays and the grace period.
  ///   - onEvent: A closure that is called for each event of the worker, on any thread.
  public init(
    _ flow: Flow, activity: String, client: StepFunctionsClient, concurrency: Int = 1, name: String? = nil,
    gracePeriod: Duration = .seconds(30), awaitsOpenPolls: Bool = false, sealing: FlowSealing? = nil,
    largeValues: FlowLargeValues? = nil, clock: any Clock<Duration> = ContinuousClock(),
    onEvent: @escaping @Sendable (FlowWorkerEvent) -> Void = { _ in }
  ) {
    self.init(
      performing: FlowTaskPerformer(flow, sealing: sealing), activityARN: activity, client: client,
      concurrency: concurrency, name: name, gracePeriod: gracePeriod, awaitsOpenPolls: awaitsOpenPolls,
      largeValues: largeValues, clock: clock, onEvent: onEvent)
  }
}
