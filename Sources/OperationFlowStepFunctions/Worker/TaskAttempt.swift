import Foundation
import OperationFlow

/// Performs one task that a worker has received, and answers it.
struct TaskAttempt: Sendable {
  private typealias Work = Task<Data, any Error>

  private let task: ActivityTask
  private let number: Int
  private let worker: FlowWorker
  private let shift: WorkerShift
  /// The error that shows that the service no longer waits for the answer.
  private let refusal = Locked(StepFunctionsError?.none)

  init(_ task: ActivityTask, number: Int, worker: FlowWorker, shift: WorkerShift) {
    self.task = task
    self.number = number
    self.worker = worker
    self.shift = shift
  }

  /// Performs the task and returns when it has been answered.
  func perform() async {
    worker.onEvent(.began(task: number))
    let work = Work { try await self.work() }
    // Heartbeats continue until the answer has arrived, which may need several requests.
    let heartbeats = worker.performing.heartbeat(for: task.input).map { limit in
      Task { await beat(every: limit / 3, for: work) }
    }
    let result = await shift.finish(work).mapError { $0 as? FlowTaskFailure ?? Self.stopped }
    if let refusal = refusal.withLock({ $0 }) {
      worker.onEvent(.cancelledByService(task: number, refusal))
    } else {
      // Work that was cancelled because the worker stops may be retried, whatever its result is.
      await answer(work.isCancelled && shift.isGraceOver ? result.mapError { _ in Self.stopped } : result)
    }
    heartbeats?.cancel()
    await heartbeats?.value
  }

  /// Reads the input's references, performs the task, and stores an output that is too large.
  private func work() async throws(FlowTaskFailure) -> Data {
    let input = try await FlowLargeValues.resolving(task.input, with: worker.largeValues)
    let output = try await worker.performing.perform(input)
    return try await worker.largeValues?
      .replacing(output, except: worker.performing.inspectedParts(ofOutputFor: input)) ?? output
  }

  /// Sends heartbeats until it is cancelled, or until the service no longer waits, which cancels the work.
  ///
  /// A request that stalls must not delay the next ones, so each is sent once, and abandoned after the interval, or
  /// after a second, which is the shortest time of a request.
  private func beat(every interval: Duration, for work: Work) async {
    let interval = interval.clamped(to: .milliseconds(10) ... .longest)
    var failures = 0
    while true {
      do {
        try await worker.clock.sleep(
          for: failures == 0 ? interval : min(interval, worker.backoff.delay(after: failures)))
        try await worker.client.sendingOnce.sendTaskHeartbeat(task.token, timeout: max(interval, .seconds(1)))
        failures = 0
      } catch is CancellationError where Task.isCancelled {
        return
      } catch let error as StepFunctionsError where error.saysTaskIsGone {
        refusal.withLock { $0 = error }
        return work.cancel()
      } catch {
        // The next one may arrive in time.
        failures += 1
        worker.onEvent(.heartbeatFailed(task: number, error))
      }
    }
  }

  /// The answer for work that was cancelled because the worker stops.
  private static let stopped = FlowTaskFailure(
    stopped: "The worker was stopped, and the task took longer than its grace period. Another worker can do it again.")

  /// Sends the answer, and repeats it while the service can't be reached, so that no finished work is lost.
  ///
  /// If the grace period ends before the answer has arrived, the answer is sent a last time.
  private func answer(_ result: Result<Data, FlowTaskFailure>) async {
    let result = Self.checked(result)
    var patience = AnswerPatience()
    while true {
      do {
        let isLast = patience.failures > 0 && shift.isGraceOver
        return try await send(result, by: isLast ? worker.client.sendingOnce : worker.client)
      } catch let error as StepFunctionsError where error.saysTaskIsGone {
        return worker.onEvent(.answerRefused(task: number, error))
      } catch {
        guard patience.allowsAnother(after: error), !shift.isGraceOver else {
          return worker.onEvent(.answerLost(task: number, error))
        }
        let delay = worker.backoff.delay(after: patience.failures)
        worker.onEvent(.answerDelayed(task: number, error, retryingAfter: delay))
        _ = await shift.finish(Task { try await worker.clock.sleep(for: delay) })
        if let refusal = refusal.withLock({ $0 }) {
          return worker.onEvent(.answerRefused(task: number, refusal))
        }
      }
    }
  }

  private func send(_ result: Result<Data, FlowTaskFailure>, by client: StepFunctionsClient) async throws {
    switch result {
    case .success(let output):
      try await client.sendTaskSuccess(task.token, output: output)
      worker.onEvent(.succeeded(task: number))
    case .failure(let failure):
      try await client.sendTaskFailure(task.token, error: failure.name, cause: failure.cause)
      worker.onEvent(.failed(task: number, failure))
    }
  }

  /// Returns a failure in place of an output that is too large for the service.
  private static func checked(_ result: Result<Data, FlowTaskFailure>) -> Result<Data, FlowTaskFailure> {
    guard case .success(let output) = result, output.count > ServiceLimits.payload else { return result }
    return .failure(
      FlowTaskFailure(
        cause: "The task's output has \(output.count) bytes, and the service takes at most \(ServiceLimits.payload). "
          + "Return less, or give the workers a FlowLargeValues, which keeps large values elsewhere.",
        mayBeRetried: false))
  }
}
