import Foundation
import OperationFlowReports
import UploadServer

/// The main example: runs the program `Upload` with real files, and a server on this machine.
///
/// The server is busy when the eleventh file arrives, and never has room for the seventh.
enum UploadExample {
  static func main() async throws {
    try await UploadSite.open(fileCount: 24, refusing: "photo-07.jpg", delaying: "photo-11.jpg") { site in
      let report = try await Upload.upload(site.folder, to: site.server).get()
      try site.expectAllStored()
      let page = Options.reports.appending(component: "upload.html")
      try FileManager.default.createDirectory(at: Options.reports, withIntermediateDirectories: true)
      try Data(report.record.page.utf8).write(to: page, options: .atomic)
      print("23 files are stored as they were; a page of this run is \(page.path)")
    }
  }
}
