import Foundation
import OperationFlow
import OperationFlowDurable
import OperationFlowReports

extension UploadOptions {
  /// Uploads the folder, prints the summary, and reports errors on standard error.
  ///
  /// - Returns: The exit code: 0 if every file was uploaded, 1 if not, and 130 or 143 if a signal has cancelled the
  ///   upload.
  package func upload() async -> Int32 {
    Console.report("flow-examples: uploading the files of \(folder.path) to \(server)")
    if let journal { return await resume(journal) }
    let interruption = Interruption()
    let tally = UploadTally()
    let run = Flow.uploading(folder, to: server, by: rules)
      .observe { event in tally.add(event) }
      .start()
    interruption.cancels(run)
    await TerminalProgress().follow(run)
    let outcome = await run.outcome
    let interruptedCode = interruption.exitCode
    print(outcome.report.summary(style: isVerbose ? .events : .brief))
    let failures = outcome.report.itemFailures
    for failure in failures where !failure.isCancelled {
      let attempts = failure.attempt > 1 ? "after \(failure.attempt) attempts: " : ""
      Console.report("flow-examples: \(failure.name) \(attempts)\(failure.error)")
    }
    // The failure of a step that isn't a group, such as a folder that doesn't exist.
    if failures.isEmpty, let error = outcome.error { Console.report("flow-examples: \(error)") }
    if let text = outcome.report.uploadedText { print(text) }
    if let files = outcome.report[.files], !outcome.isSuccess || !failures.isEmpty {
      for line in tally.lines(for: files) { print(line) }
    }
    if let text = outcome.report.leftOutText { print(text) }
    let isReported = writeReports(of: outcome.report)
    if case .cancelled = outcome, let interruptedCode { return interruptedCode }
    return outcome.isSuccess && failures.isEmpty && isReported ? 0 : 1
  }

  /// Writes the reports if they are asked for; returns true if nothing failed.
  private func writeReports(of report: FlowReport) -> Bool {
    guard let reports else { return true }
    do {
      var folder = try ReportFolder(reports)
      try folder.add(report.record, named: "upload")
      try folder.finish()
      print("reports: \(reports.path)")
      return true
    } catch {
      Console.report("flow-examples: \(error)")
      return false
    }
  }

  /// Uploads the folder with a journal.
  ///
  /// After an interruption, such as Ctrl-C, the same command continues with the remaining files.
  private func resume(_ journal: URL) async -> Int32 {
    let store = FileFlowStore(folder: journal)
    // A run continues with the folder and the server that it began with, so another folder or server needs another run.
    let id = "\(folder.standardizedFileURL.path) to \(server)"
    do {
      if let other = try store.runIDs().first(where: { $0 != id }) { throw OtherUploadError(journal, other) }
    } catch {
      Console.report("flow-examples: \(error)")
      return 1
    }
    let run = Flow.uploading(folder, to: server, by: rules).start(
      id: id, in: store, retryingFailure: true)
    await TerminalProgress().follow(run)
    let outcome = await run.outcome
    for failure in outcome.report.itemFailures {
      Console.report("flow-examples: \(failure.name) \(failure.error)")
    }
    if outcome.report.itemFailures.isEmpty, let error = outcome.error { Console.report("flow-examples: \(error)") }
    if let links = outcome.report[.links], let files = outcome.report[.files] {
      print("\(links.count) of \(files.count) files were uploaded")
    }
    if let text = outcome.report.leftOutText { print(text) }
    let isReported = writeReports(of: outcome.report)
    return isReported && outcome.isSuccess && outcome.report.itemFailures.isEmpty ? 0 : 1
  }
}

/// An error of a journal that belongs to another upload.
private struct OtherUploadError: Error, CustomStringConvertible {
  let description: String

  init(_ journal: URL, _ other: String) {
    description =
      "The journal \(journal.path) is that of another upload: \(other). Name another folder with --resume, or repeat "
      + "that upload's --folder and --to."
  }
}

extension FlowReport {
  /// The number of uploaded files as a sentence; nil if the run ended before it had listed them.
  package var uploadedText: String? {
    guard let items = steps.lazy.compactMap(\.items).first, let total = items.total else { return nil }
    return "\(items.succeeded) of \(total) files were uploaded"
  }

  /// The entries of the folder that were left out, in a line; nil if there are none.
  fileprivate var leftOutText: String? {
    self[.leftOut].map { "left out, as they are no regular files: \($0.map(\.description).listed)" }
  }
}

extension FlowItemFailure {
  /// True if the item was only stopped because another one failed.
  fileprivate var isCancelled: Bool { (error as? FlowError)?.code == .cancelled }
}
