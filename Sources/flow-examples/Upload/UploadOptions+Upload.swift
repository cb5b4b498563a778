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
    if let text = outcome.report.uploadedText { print(text) }
    return outcome.isSuccess && failures.isEmpty
  }
}

extension FlowReport {
  /// How many files were uploaded, as the run has counted them; nil if it did not come so far as to know of any.
  var uploadedText: String? {
    guard let items = steps.lazy.compactMap(\.items).first, let total = items.total else { return nil }
    return "\(items.succeeded) of \(total) files were uploaded"
  }
}

extension FlowItemFailure {
  /// Whether the item was only stopped because another one failed.
  fileprivate var isCancelled: Bool { (error as? FlowError)?.code == .cancelled }
}
