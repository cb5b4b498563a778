import Foundation
import OperationFlow

extension Example {
  /// Uploads 24 real files over real HTTP, three at once; the server refuses one of them, and the flow goes on.
  static let upload = Example(name: "upload") {
    let refused = "photo-07.jpg"
    let samples = try SampleFolder(fileCount: 24)
    defer { try? samples.remove() }
    // An empty folder, for what the server stores.
    let storage = try SampleFolder(fileCount: 0)
    defer { try? storage.remove() }
    let receiver = HTTPReceiver(storingIn: storage.url) { request in
      request.fileName == refused ? .text("There is no room for this one.", status: 507) : nil
    }
    Proxy.bypassOnLoopback()
    try receiver.start()
    defer { receiver.stop() }

    let outcome = await Flow.uploading(samples.url, to: try receiver.url, width: 3, allowFailure: true).run()

    print(outcome.report.summary)
    try expect(outcome.isSuccess, "the flow succeeds, as failures of files are allowed")
    try expect(outcome.report[.links]?.count == 23, "23 files are uploaded")
    try expectOneFailure(of: outcome.report.itemFailures, file: refused, status: 507)
    for file in samples.files {
      try expectStored(file, in: storage.url, isRefused: file.lastPathComponent == refused)
    }
    print("23 files were stored, each with the checksum of its source; 1 was refused")
  }

  /// A failed item is kept with its place in the input, the input itself, and its error.
  private static func expectOneFailure(of failures: [FlowItemFailure], file: String, status: Int) throws {
    try expect(failures.count == 1, "one file fails")
    guard let failure = failures.first else { return }
    try expect(failure.index == 6 && failure.input as? String == file, "the failure names \(file), the seventh")
    try expect(failure.error as? UploadError == .refused(status: status), "the failure keeps the server's answer")
  }

  private static func expectStored(_ file: URL, in storage: URL, isRefused: Bool) throws {
    let name = file.lastPathComponent
    let stored = storage.appendingPathComponent(name, isDirectory: false)
    if isRefused {
      try expect(!FileManager.default.fileExists(atPath: stored.path), "\(name) is not stored")
    } else {
      try expect(try Checksum(fileAt: stored) == Checksum(fileAt: file), "\(name) is stored as it was")
    }
  }
}
