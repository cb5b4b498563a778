import OperationFlow
import OperationFlowReports

extension Example {
  /// Uploads 24 real files over real HTTP, three at once; the server refuses one of them, and the flow continues.
  ///
  /// Its operations and its group are in Flow-iOS's style; its run is watched through the handle that `start()` returns.
  static let upload = Example(name: "upload, old style") { output in
    try await UploadSite.open(fileCount: 24, refusing: "photo-07.jpg") { site in
      let run = Flow.uploading(site.folder, to: site.server, by: UploadRules(allowsFailure: true)).start()
      await TerminalProgress().follow(run)
      let outcome = await run.outcome

      output.show(outcome)
      try expect(outcome.isSuccess, "the flow succeeds, as failures of files are allowed")
      try expect(outcome.report[.links]?.count == 23, "23 files are uploaded")
      try expectRefusal(in: outcome.report)
      try site.expectAllStored()
      output.say("23 files were stored, each with the checksum of its source; 1 was refused")
    }
  }

  /// Uploads more files than a record keeps events of: the number of stored files is still counted.
  static let uploadMany = Example(name: "upload, many files") { output in
    let fileCount = 1_200
    try await UploadSite.open(fileCount: fileCount, sizes: .tiny, refusing: "photo-700.jpg") { site in
      let rules = UploadRules(width: 8, allowsFailure: true)
      let run = Flow.uploading(site.folder, to: site.server, by: rules).start()
      await TerminalProgress().follow(run)
      let report = try await run.outcome.get()
      output.showSteps(of: report.record)
      let items = report.steps.lazy.compactMap(\.items).first
      try expect(items?.succeeded == fileCount - 1 && items?.failed == 1, "every file is counted, whatever is recorded")
      try site.expectAllStored()
      if let text = report.uploadedText { output.say(text) }
    }
  }

  /// A failed item is kept with its index in the input, the input itself, and its error.
  private static func expectRefusal(in report: FlowReport) throws {
    try expect(report.itemFailures.count == 1, "one file fails")
    guard let failure = report.itemFailures.first else { return }
    try expect(
      failure.index == 6 && (failure.input as? FileName)?.text == "photo-07.jpg", "the failure names the seventh file")
    try expect(failure.error as? UploadError == .refused(status: 507), "the failure keeps the server's answer")
  }
}
