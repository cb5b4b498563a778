import Foundation
import TestSupport
import Testing
import UploadDrills
import Uploader

/// What `flow-examples upload` says was stored, and what it does to the server.
@Suite(.watched) struct UploadTests {
  @Test(.enabled(if: geteuid() != 0, "the superuser reads every file"))
  func `a large file that can't be read is not sent as an empty one`() async throws {
    try await UploadSite.open(fileCount: 0) { site in
      let file = site.folder.appending(component: "large.bin")
      try Data(count: 33 * 1_024 * 1_024).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
      await #expect(throws: UploadError.unreadable(path: file.resolvingSymlinksInPath().path)) {
        try await FileTransfer.upload(file, to: site.server.appending(component: "large.bin"))
      }
    }
  }

  @Test func `an upload is not taken for that of another folder or server whose journal it is given`() async throws {
    try await UploadSite.open(fileCount: 3) { site in
      let journal = site.folder.appending(component: "journal")
      func upload(_ folder: URL, to server: URL) async throws -> Int32 {
        try await UploadOptions(
          arguments: ["--folder", folder.path, "--to", server.absoluteString, "--resume", journal.path]
        ).upload()
      }
      let codes = [
        try await upload(site.folder, to: site.server),
        try await upload(FileManager.default.temporaryDirectory, to: site.server),
        try await upload(site.folder, to: site.server.appending(path: "elsewhere")),
        try await upload(site.folder, to: site.server),
      ]
      #expect(codes == [0, 1, 1, 0])
    }
  }
}
