import Foundation
import OperationFlow
import OperationFlowDurable
import UploadServer
import Uploader

/// Uploads files in a separate process, kills it in the middle of its work, and resumes the upload.
enum CrashExample {
  private static let (fileCount, width, kills) = (200, 4, [60, 130])

  /// Runs the example, and prints its results.
  ///
  /// - Returns: The exit code: 0 if every file is stored, and no file that was in the journal was sent again.
  static func run() async -> Int32 {
    do {
      print("uploading \(fileCount) files in a process of its own, which is killed \(kills.count) times")
      let samples = try SampleFolder(fileCount: fileCount, sizes: .mixed)
      defer { try? samples.remove() }
      // Empty folders, for what the receiver stores and for the journal.
      let (storage, journal) = (try SampleFolder(fileCount: 0), try SampleFolder(fileCount: 0))
      defer {
        try? storage.remove()
        try? journal.remove()
      }
      return try await run(samples, storage, journal)
    } catch {
      Console.report("flow-drills: \(error)")
      return 1
    }
  }

  private static func run(
    _ samples: SampleFolder, _ storage: SampleFolder, _ journal: SampleFolder
  ) async throws -> Int32 {
    let arrivals = Arrivals()
    let receiver = try HTTPReceiver.counting(arrivals, storingIn: storage.url)
    defer { receiver.stop() }
    let arguments = [
      "upload", "--folder", samples.url.path, "--to", try receiver.url.absoluteString, "--width", "\(width)",
      "--resume", journal.url.path,
    ]
    let store = FileFlowStore(folder: journal.url)
    var survivals: [(arrivalCount: Int, journaledCount: Int)] = []
    for count in kills {
      let child = ChildProcess(arguments)
      try child.start()
      // The child is killed while the receiver stores this file, at any point of the child's own work.
      await arrivals.reach(count, or: child)
      child.kill()
      await child.end()
      let journaledCount = try await store.unfinished().first { $0.error == nil }?.settledItemCount ?? 0
      survivals.append((arrivals.count, journaledCount))
      // The files that the workers were sending are missing, and a few whose results waited while another one was
      // written.
      let missingCount = arrivals.count - arrivals.repeatedCount - journaledCount
      try expect(missingCount <= 3 * width, "the journal has what was stored, but for \(missingCount) files")
      print("killed after \(arrivals.count) files had arrived")
    }
    let child = ChildProcess(arguments)
    try child.start()
    let code = await child.end()
    print("resumed: \(arrivals.count) arrivals of \(fileCount) files, \(arrivals.repeatedCount) of them sent again")
    for file in samples.files {
      let stored = storage.url.appendingPathComponent(file.lastPathComponent, isDirectory: false)
      try expect(
        try Checksum(fileAt: stored) == Checksum(fileAt: file), "\(file.lastPathComponent) is stored as it was")
    }
    for (arrivalCount, journaledCount) in survivals {
      // Files in transit may have been counted a little later.
      try expect(
        arrivals.count - arrivalCount <= fileCount - journaledCount + width, "no file is sent again that is journaled")
    }
    return code
  }
}
