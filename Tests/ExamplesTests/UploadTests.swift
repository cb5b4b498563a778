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
}
