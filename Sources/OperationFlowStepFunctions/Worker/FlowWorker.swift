import Foundation

/// Performs the tasks of an activity of AWS Step Functions, several at once, for as long as it runs.
///
/// Start as many workers as you like, on any hosts: the service gives each task to one of them. A worker whose process
/// dies answers no more, and the state's timeout and `Retry` give the task to another, so work is done at least once.
public struct FlowWorker: Sendable {
  let performing: any TaskPerforming
  let activityARN: String
  let client: StepFunctionsClient
  let concurrency: Int
  let name: String
  let gracePeriod: Duration
  let awaitsOpenPolls: Bool
  let largeValues: FlowLargeValues?
  let clock: any Clock<Duration>
  let onEvent: @Sendable (FlowWorkerEvent) -> Void
  let backoff: Backoff

  /// The number of refusals in a row that end the worker after an accepted poll: credentials may be being replaced.
  static let refusalLimit = 10

  /// Creates a worker.
  ///
  /// - Parameters:
  ///   - performing: The object that performs the tasks.
  ///   - activityARN: The ARN of the activity.
  ///   - client: The client.
  ///   - concurrency: The number of tasks to perform at once; the worker polls only while there is room. Below 1 counts
  ///     as 1.
  ///   - name: The worker's name in the history of executions; `nil` for one made of the host's name and the process's
  ///     number.
  ///   - gracePeriod: The time in which running tasks may finish after `run()` is cancelled.
  ///   - awaitsOpenPolls: True to wait for open polls, too, for the grace period, instead of cancelling them.
  ///   - largeValues: The store of values that are too large for the service.
  ///   - clock: The clock of heartbeats, delays and the grace period.
  ///   - seed: The seed of the delays' random part; `nil` for a random one.
  ///   - onEvent: A closure that is called for each event of the worker, on any thread.
  package init(
    performing: some TaskPerforming, activityARN: String, client: StepFunctionsClient, concurrency: Int = 1,
    name: String? = nil, gracePeriod: Duration = .seconds(30), awaitsOpenPolls: Bool = false,
    largeValues: FlowLargeValues? = nil, clock: any Clock<Duration> = ContinuousClock(), seed: UInt64? = nil,
    onEvent: @escaping @Sendable (FlowWorkerEvent) -> Void = { _ in }
  ) {
    self.performing = performing
    self.activityARN = activityARN
    self.client = client
    self.concurrency = max(1, concurrency)
    // The service accepts 80 characters; the rest is for the lane's number.
    self.name = String((name ?? Self.processName).prefix(70))
    self.gracePeriod = gracePeriod
    self.awaitsOpenPolls = awaitsOpenPolls
    self.largeValues = largeValues
    self.clock = clock
    self.onEvent = onEvent
    backoff = Backoff(first: 0.5, limit: 30, seed: seed)
  }

  /// The host's name and the process's number.
  private static var processName: String {
    // ProcessInfo may query a name server, and wait for its answer.
    var name = [CChar](repeating: 0, count: 256)
    let isKnown = gethostname(&name, name.count - 1) == 0
    let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return "\(isKnown ? host : "worker")-\(ProcessInfo.processInfo.processIdentifier)"
  }

  /// Performs tasks until the surrounding task is cancelled.
  ///
  /// When it is cancelled, the worker accepts no more tasks and waits for those that are running. A task that is still
  /// running after the grace period is cancelled and answered with a failure that may be retried. `run()` returns when
  /// all work has returned.
  ///
  /// Open polls are cancelled. The service may not notice: for up to a minute, it may assign a task to such a poll, and
  /// assigns the task again after its timeout. To avoid that, create the worker with `awaitsOpenPolls` and a grace
  /// period of more than a minute: then the worker performs the tasks that these polls still receive.
  ///
  /// A poll that fails is made again after a delay that grows, up to half a minute. An answer that doesn't reach the
  /// service is sent again in the same way, until the service no longer waits for it or the grace period ends, at most
  /// 200 times.
  ///
  /// - Throws: ``StepFunctionsError`` if the service refuses the worker's credentials before any poll has succeeded, or
  ///   ten times in a row later, or if there is no such activity.
  public func run() async throws {
    let shift = WorkerShift(gracePeriod: gracePeriod, clock: clock)
    let failure = await withTaskCancellationHandler {
      await withTaskGroup(of: StepFunctionsError?.self) { group in
        for number in 0..<concurrency {
          group.addTask { await performTasks(workerName: "\(name)/\(number)", shift) }
        }
        var first: StepFunctionsError?
        for await case let error? in group where first == nil {
          first = error
          // The error ends the other lanes, too.
          group.cancelAll()
          shift.stop()
        }
        return first
      }
    } onCancel: {
      shift.stop()
    }
    shift.end()
    if let failure { throw failure }
  }

  /// Polls for tasks and performs them, one after the other; returns an error that ends the worker.
  private func performTasks(workerName: String, _ shift: WorkerShift) async -> StepFunctionsError? {
    var (failures, refusals) = (0, 0)
    while !Task.isCancelled {
      do {
        let (task, time) = try await clock.timed {
          try await poll(workerName: workerName, shift)
        }
        (failures, refusals) = (0, 0)
        shift.pollDidSucceed()
        if let task {
          // Not a child task: it continues after a cancellation, until the grace period ends.
          await Task { await TaskAttempt(task, number: shift.nextTaskNumber(), worker: self, shift: shift).perform() }
            .value
        } else if time < .seconds(1) {
          // A service that answers polls immediately is asked at most once a second.
          try await clock.sleep(for: .seconds(1))
        }
      } catch is CancellationError where Task.isCancelled {
        return nil
      } catch {
        failures += 1
        let known = error as? StepFunctionsError
        refusals = known?.isAboutAccess == true ? refusals + 1 : 0
        if let known, known.endsPolling || refusals >= (shift.hasPolled ? Self.refusalLimit : 1) { return known }
        let delay = backoff.delay(after: failures)
        onEvent(.pollFailed(error, retryingAfter: delay))
        try? await clock.sleep(for: delay)
      }
    }
    return nil
  }

  private func poll(workerName: String, _ shift: WorkerShift) async throws -> ActivityTask? {
    guard awaitsOpenPolls else { return try await client.getActivityTask(activityARN, workerName: workerName) }
    // Not a child task, so that it isn't cancelled with this one.
    return try await shift.finish(Task { try await client.getActivityTask(activityARN, workerName: workerName) }).get()
  }
}

extension StepFunctionsError {
  /// True if polling again can't succeed.
  fileprivate var endsPolling: Bool { ["ActivityDoesNotExist", "InvalidArn"].contains(code.description) }
}

extension Clock<Duration> {
  /// Returns the result of `body`, and the time that it needed.
  fileprivate func timed<Result>(_ body: () async throws -> Result) async rethrows -> (Result, Duration) {
    let start = now
    let result = try await body()
    return (result, start.duration(to: now))
  }
}
