import Foundation
import OperationFlow
import OperationFlowStepFunctions
import UploadServer
import Uploader

/// Waits for the end of the upload, prints its progress, and fails if nothing happens.
struct DistributedWait {
  /// The time between two checks for arrived files, and the number of checks without a new file before it fails.
  private static let (interval, patience) = (Duration.seconds(15), 12)

  let arrivals: Arrivals
  let fileCount: Int

  /// Waits for the outcome of an execution.
  ///
  /// - Throws: `DistributedWait.Stalled` if no file arrives for three minutes, which is longer than the service needs
  ///   to let every lost task time out; or the service's error.
  func outcome(of execution: FlowExecution) async throws -> StepFunctionsExecution {
    try await withThrowingTaskGroup(of: StepFunctionsExecution?.self) { group in
      group.addTask { try await execution.outcome() }
      group.addTask {
        try await watch()
        return nil
      }
      defer { group.cancelAll() }
      while let outcome = try await group.next() {
        if let outcome { return outcome }
      }
      throw CancellationError()
    }
  }

  private func watch() async throws {
    var (arrived, looks) = (arrivals.count, 0)
    while true {
      try await Task.sleep(for: Self.interval)
      let count = arrivals.count
      looks = count == arrived ? looks + 1 : 0
      arrived = count
      if looks == Self.patience { throw Stalled(arrived: arrived) }
      Console.report(
        """
        flow-drills: waiting for the end of the execution; \(arrived) of \(fileCount) files have arrived. \
        The tasks of the killed worker begin again when the service misses its heartbeats.
        """)
    }
  }

  /// An error of an execution that makes no progress.
  struct Stalled: Error, CustomStringConvertible {
    let arrived: Int

    var description: String {
      """
      No file has arrived for three minutes, after \(arrived): the service doesn't end the tasks of a worker that is gone. \
      Use AWS itself, or an interpreter that times out a task whose heartbeats are missing, such as LocalStack.
      """
    }
  }
}
