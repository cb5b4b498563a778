import Dispatch
import Foundation
import OperationFlow
import OperationFlowStepFunctions
import UploadServer
import Uploader

extension DistributedOptions.Work {
  /// Performs tasks of the upload until the process is asked to end.
  ///
  /// - Returns: The exit code: 0 if the process was asked to end, 1 if the service refused the worker.
  func perform(_ client: StepFunctionsClient) async -> Int32 {
    Proxy.bypassOnLoopback()
    let worker = FlowWorker(
      .distributedUpload(folder, to: server), activity: activity, client: client, concurrency: 2)
    let task = Task { try await worker.run() }
    signal(SIGTERM, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
    source.setEventHandler { task.cancel() }
    source.activate()
    defer { source.cancel() }
    do {
      try await task.value
      return 0
    } catch {
      Console.report("flow-drills: \(error)")
      return 1
    }
  }
}
