import Foundation
import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

/// Writes the pages that `.ci/check-page` opens in a browser.
@Suite(.watched, .enabled(if: ProcessInfo.processInfo.environment["OPERATIONFLOW_PAGE_SAMPLES"] != nil))
struct PageSampleTests {
  @Test func `the samples are written`() async throws {
    let folder = try #require(ProcessInfo.processInfo.environment["OPERATIONFLOW_PAGE_SAMPLES"])
    let album = await PageSamples.album().report.record
    let injected = await PageSamples.injected().report.record
    let records = [
      ("album", album), ("injected", injected), ("large", await PageSamples.large()),
      ("nested", await PageSamples.nested()), ("long", await PageSamples.long()),
      ("running", await PageSamples.running()), ("cancelled", await PageSamples.cancelled()),
      ("refused", await PageSamples.refused()), ("empty", await PageSamples.empty()),
      ("upload", await PageSamples.upload()), ("items", await PageSamples.items()),
      ("quick", try PageSamples.quick()), ("publish", await PageSamples.publish()),
      ("nightly", try PageSamples.nightly()), ("resumed", try await PageSamples.resumed()),
    ]
    for (name, record) in records {
      let file = URL(fileURLWithPath: folder).appendingPathComponent(name)
      try Data(record.page.utf8).write(to: file.appendingPathExtension("html"))
      // The number of events that the browser has to show.
      try Data("\(record.events.count)".utf8).write(to: file.appendingPathExtension("count"))
    }
  }
}
