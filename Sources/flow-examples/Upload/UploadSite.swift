import Foundation

/// Some real files, and a server on this machine that stores what it receives, except for one file.
struct UploadSite: Sendable {
  private let samples: SampleFolder
  private let storage: SampleFolder
  private let refused: String
  let server: URL

  /// The folder with the files.
  var folder: URL { samples.url }

  /// Makes files and starts a server, does some work with them, and removes both.
  static func open(
    fileCount: Int, sizes: SampleFolder.Sizes = .photos, refusing refused: String,
    _ work: (UploadSite) async throws -> Void
  ) async throws {
    let samples = try SampleFolder(fileCount: fileCount, sizes: sizes)
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
    try await work(UploadSite(samples: samples, storage: storage, refused: refused, server: try receiver.url))
  }

  /// Throws unless the server has every file unchanged, and nothing of the one that it refused.
  func expectAllStored() throws {
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
