import Foundation
import TestSupport
import Testing
import UploadServer
import Uploader

/// Checks what `flow-examples upload` reports as stored, and what it does to the server.
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

  @Test func `an upload that has failed goes on where it failed`() async throws {
    try await UploadSite.open(fileCount: 5, delaying: "photo-03.jpg") { site in
      let journal = site.folder.appending(component: "journal")
      func upload() async throws -> Int32 {
        try await UploadOptions(
          arguments: [
            "--folder", site.folder.path, "--to", site.server.absoluteString, "--resume", journal.path, "--retry", "1",
            "--width", "1",
          ]
        ).upload()
      }
      #expect(try await [upload(), upload(), upload()] == [1, 0, 0])
      try site.expectAllStored()
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
