import Foundation
import OperationFlow
import OperationFlowReports

/// A record in a file, and the page that is generated from it.
package enum SavedRecord {
  /// Writes the page beside the record, and prints the brief summary and the page's path.
  ///
  /// - Returns: The exit code: 0, or 1 if the record can't be read or the page can't be written.
  package static func report(_ url: URL) -> Int32 {
    do {
      let record = try read(url)
      let page = url.deletingPathExtension().appendingPathExtension("html")
      do {
        try Data(record.page.utf8).write(to: page, options: .atomic)
      } catch {
        throw ReportError.notWritten(path: page.path, reason: error.localizedDescription)
      }
      print(record.summary(style: .brief))
      if record.skippedEventCount > 0 { print("\(record.skippedEventCount) events of unknown kinds were skipped") }
      print("page: \(page.path)")
      return 0
    } catch {
      Console.report("flow-examples: \(error)")
      return 1
    }
  }

  private static func read(_ url: URL) throws(ReportError) -> FlowRecord {
    do {
      return try FlowRecord(jsonLines: Data(contentsOf: url))
    } catch let error as FlowRecordError {
      throw .notRead(path: url.path, reason: error.description)
    } catch {
      throw .notRead(path: url.path, reason: error.localizedDescription + " Name a file that exists and may be read.")
    }
  }
}
