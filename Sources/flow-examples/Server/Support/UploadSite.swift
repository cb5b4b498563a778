import Foundation

/// Some real files, and a server on this machine that stores what it receives, except for one file that it refuses.
package struct UploadSite: Sendable {
  private let samples: SampleFolder
  private let storage: SampleFolder
  private let refused: String
  package let server: URL

  /// The folder with the files.
  package var folder: URL { samples.url }

  /// Makes files and starts a server, does some work with them, and removes both.
  ///
  /// - Parameters:
  ///   - fileCount: The number of files: `photo-01.jpg` and so on.
  ///   - refused: The file for which the server never has room.
  ///   - delayed: The file that the server accepts only the second time.
  ///   - work: The work to do meanwhile.
  /// - Throws: The error that the work throws, or the reason that there is no folder or server.
  package static func open(
    fileCount: Int, refusing refused: String = "", delaying delayed: String = "",
    _ work: (UploadSite) async throws -> Void
  ) async throws {
    let samples = try SampleFolder(fileCount: fileCount)
    defer { try? samples.remove() }
    // An empty folder, for what the server stores.
    let storage = try SampleFolder(fileCount: 0)
    defer { try? storage.remove() }
    let arrivals = Arrivals()
    let receiver = HTTPReceiver(storingIn: storage.url) { request in
      guard let name = request.fileName else { return nil }
      if name == refused { return .text("There is no room for this one.", status: 507) }
      if name == delayed, arrivals.count(of: name) == 0 {
        arrivals.add(name)
        return .text("Not now.", status: 503)
      }
      return nil
    }
    Proxy.bypassOnLoopback()
    try receiver.start()
    defer { receiver.stop() }
    try await work(UploadSite(samples: samples, storage: storage, refused: refused, server: try receiver.url))
  }

  /// Throws unless the server has every file unchanged, and nothing of the one that it refused.
  package func expectAllStored() throws {
    for file in samples.files {
      let name = file.lastPathComponent
      let stored = storage.url.appendingPathComponent(name, isDirectory: false)
      if name == refused {
        try expect(!FileManager.default.fileExists(atPath: stored.path), "\(name) is not stored")
      } else {
        try expect(try Checksum(fileAt: stored) == Checksum(fileAt: file), "\(name) is stored as it was")
      }
    }
  }
}

/// Throws unless a promise is true.
package func expect(_ isSo: Bool, _ promise: String) throws(BrokenPromise) {
  guard isSo else { throw BrokenPromise(promise: promise) }
}

/// An error of a promise that turned out to be false.
package struct BrokenPromise: Error, Hashable, CustomStringConvertible {
  package let promise: String

  package var description: String { "This was promised and is not so: \(promise). Read the summary for what happened." }
}
