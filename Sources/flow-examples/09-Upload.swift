import Foundation
import OperationFlow
import OperationFlowReports
import UploadServer
import Uploader

extension FlowKey where Value == [String] {
  fileprivate static var names: Self { "names" }
}
extension FlowKey where Value == [URL] {
  fileprivate static var addresses: Self { "addresses" }
}
extension FlowKey where Value == URL {
  fileprivate static var index: Self { "index" }
}

/// Uploads real files over HTTP to a server, three at once: the main example.
///
/// The site creates 24 files, and has a server on this machine. It is busy when the eleventh file arrives, and never
/// has room for the seventh. `flow-examples upload --folder DIR --to URL` does the same with your own folder and
/// server.
func upload() async throws {
  try await UploadSite.open(fileCount: 24, refusing: "photo-07.jpg", delaying: "photo-11.jpg") { site in
    let flow = Flow("Upload")
      .add("list", .writes(.names)) { context in
        context[.names] = try FileManager.default.contentsOfDirectory(atPath: site.folder.path).sorted()
      }
      .forEach(
        .names, into: .addresses, width: 3, tolerating: .failures(1), .named("send"),
        .retry(.exponential(attempts: 3, first: .milliseconds(50))), .timeout(.seconds(10))
      ) { name, _ in
        let address = site.server.appending(component: name)
        try await FileTransfer.upload(site.folder.appending(component: name), to: address)
        return address
      }
      .add("write the index", .reads(.addresses), .writes(.index)) { context in
        let lines = try context.require(.addresses).map(\.lastPathComponent).joined(separator: "\n")
        let file = site.folder.appending(component: "index.txt")
        try Data(lines.utf8).write(to: file)
        context[.index] = site.server.appending(component: "index.txt")
        try await FileTransfer.upload(file, to: site.server.appending(component: "index.txt"))
      }

    let run = flow.start()
    // Rewrites a line on a terminal; elsewhere, prints a line now and then.
    await TerminalProgress().follow(run)
    let outcome = await run.outcome
    print(outcome.report.summary(style: .chosen), terminator: "")
    let report = try outcome.get()

    try site.expectAllStored()
    let page = Options.reports.appending(component: "upload.html")
    try FileManager.default.createDirectory(at: Options.reports, withIntermediateDirectories: true)
    try Data(report.record.page.utf8).write(to: page, options: .atomic)
    print("23 files are stored as they were; a page of this run is \(page.path)")
  }
}
