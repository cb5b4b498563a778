/// An event in a worker; the numbers count the tasks that the worker has received, from 1.
///
/// Later versions may add more, so a `switch` over them needs a `default`.
public enum FlowWorkerEvent: Sendable {
  /// The worker received a task, and performs it.
  case began(task: Int)
  /// A task's output was sent.
  case succeeded(task: Int)
  /// A task's failure was sent.
  case failed(task: Int, FlowTaskFailure)
  /// A heartbeat's reply was an error: no one waits for the task, so its work was cancelled.
  case cancelledByService(task: Int, StepFunctionsError)
  /// The service refused the answer, because it arrived too late, or had already arrived although the service's reply
  /// had not.
  case answerRefused(task: Int, StepFunctionsError)
  /// The answer didn't arrive, because the service couldn't be reached or didn't accept it yet; it is sent again.
  case answerDelayed(task: Int, any Error, retryingAfter: Duration)
  /// The answer didn't arrive, and isn't sent again; the execution continues when the task's timeout ends.
  case answerLost(task: Int, any Error)
  /// A heartbeat didn't arrive; the next one is sent anyway.
  case heartbeatFailed(task: Int, any Error)
  /// The service couldn't be asked for a task; it is asked again.
  case pollFailed(any Error, retryingAfter: Duration)
}
