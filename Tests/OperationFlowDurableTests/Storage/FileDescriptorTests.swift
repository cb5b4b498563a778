import Foundation
import OperationFlowStorage
import TestSupport
import Testing

@Suite(.watched) struct FileDescriptorTests {
  @Test func `reading more than there is memory for is an error`() async throws {
    try await withJournalFolder { folder in
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let path = folder.appendingPathComponent("text").path
      try Data("text".utf8).write(to: URL(fileURLWithPath: path))
      let file = try SystemDisk().open(path, .reading)
      let fault = #expect(throws: FileFault.self) { _ = try file.read(.max, at: 0) }
      #expect(fault?.code == ENOMEM && fault?.path == path)
      #expect(try file.read(8, at: 0) == Array("text".utf8))
    }
  }
}
