import Foundation
import OperationFlow

extension UploadOptions {
  /// Uploads the folder, prints the summary, and says on standard error what went wrong.
  ///
  /// - Returns: Whether every file was uploaded.
  func upload() async -> Bool {
    let run = Flow.uploading(folder, to: server, width: width, allowFailure: allowsFailure).start()
    await UploadProgress.show(run)
    let outcome = await run.outcome
    print(outcome.report.summary)
    let failures = outcome.report.itemFailures
    for failure in failures where !failure.isCancelled {
      Console.report("flow-examples: \(failure.name) \(failure.error)")
    }
    // A failure of a step that is no group, such as a folder that is not there.
    if failures.isEmpty, let error = outcome.error { Console.report("flow-examples: \(error)") }
    if let files = outcome.report[.files] {
      print("\(uploadedCount(in: outcome.report)) of \(files.count) files were uploaded")
    }
    return outcome.isSuccess && failures.isEmpty
  }

  /// Counted from the events, as a group that is stopped collects no outputs.
  private func uploadedCount(in report: FlowReport) -> Int {
    report.events.count { $0.source.item != nil && $0.kind == .finished(.successfully) }
  }
}

extension FlowItemFailure {
  /// Whether the item was only stopped because another one failed.
  fileprivate var isCancelled: Bool { (error as? FlowError)?.code == .cancelled }
}
