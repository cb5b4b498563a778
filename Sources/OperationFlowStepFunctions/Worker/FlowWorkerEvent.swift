/// An event in a worker; the numbers count the tasks that it has taken, from 1.
///
/// Later versions may add more, so a `switch` over them needs a `default`.
public enum FlowWorkerEvent: Sendable {
  /// A task was taken.
  case began(task: Int)
  /// A task's output was sent.
  case succeeded(task: Int)
  /// A task's failure was sent.
  case failed(task: Int, FlowTaskFailure)
  /// A heartbeat was answered with an error that says that no one waits for the task; its work was cancelled.
  case cancelledByService(task: Int, StepFunctionsError)
  /// The service no longer waits for the answer: it came too late, or had arrived although the service's reply had not.
  case answerRefused(task: Int, StepFunctionsError)
  /// The answer didn't arrive, because the service couldn't be reached or didn't take it yet; it is sent again.
  case answerDelayed(task: Int, any Error, retryingAfter: Duration)
  /// The answer didn't arrive, and isn't sent again; the service goes on when the task's timeout ends.
  case answerLost(task: Int, any Error)
  /// A heartbeat didn't arrive; the next one is sent all the same.
  case heartbeatFailed(task: Int, any Error)
  /// The service couldn't be asked for a task; it is asked again.
  case pollFailed(any Error, retryingAfter: Duration)
}
