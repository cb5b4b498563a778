import Foundation
import OperationFlow

/// A fresh temporary folder of real files whose names and bytes are the same on every run.
package struct SampleFolder: Sendable {
  package let url: URL
  package let files: [URL]

  /// The sizes of the files.
  package enum Sizes: Hashable, Sendable {
    /// Some KiB each, the second empty, the third over 1 MiB.
    case photos
    /// At most 9 bytes each, so that there can be many.
    case tiny
    /// From nothing to 4 KiB, and one in 100 up to 128 KiB, which is more than a receiver reads in one go.
    case mixed
  }

  /// Writes `fileCount` files, starting with `photo-01.jpg`.
  package init(
    fileCount: Int, sizes: Sizes = .photos, seed: UInt64 = 1, in parent: URL = FileManager.default.temporaryDirectory
  ) throws(SampleFolderError) {
    let url = parent.appendingPathComponent("flow-examples-\(UUID().uuidString)", isDirectory: true)
    var generator = SplitMix(seed: seed)
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      files = try (0..<max(0, fileCount)).map { index in
        let file = url.appendingPathComponent(Self.name(at: index), isDirectory: false)
        let size = Self.size(sizes, at: index, using: &generator)
        try generator.bytes(count: size).write(to: file)
        return file
      }
      self.url = url
    } catch {
      try? FileManager.default.removeItem(at: url)
      throw .notWritten(path: url.path, reason: error.localizedDescription)
    }
  }

  /// Deletes the folder and everything in it, if it exists.
  package func remove() throws(SampleFolderError) {
    guard FileManager.default.fileExists(atPath: url.path) else { return }
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      throw .notRemoved(path: url.path, reason: error.localizedDescription)
    }
  }

  private static func name(at index: Int) -> String {
    "photo-\(index < 9 ? "0" : "")\(index + 1).jpg"
  }

  private static func size(_ sizes: Sizes, at index: Int, using generator: inout SplitMix) -> Int {
    // The remainder, because the algorithm of `random(in:using:)` may change with the standard library.
    switch (sizes, index) {
    case (.tiny, _): index % 10
    case (.mixed, _): Int(generator.next() % (index % 100 == 99 ? 128 * 1_024 : index % 10 == 0 ? 10 : 4 * 1_024))
    case (.photos, 1): 0
    case (.photos, 2): 1_600_000
    case (.photos, _): 4_000 + Int(generator.next() % 396_000)
    }
  }
}

/// An error of making or removing a sample folder.
package enum SampleFolderError: Error, Hashable, CustomStringConvertible {
  case notWritten(path: String, reason: String)
  case notRemoved(path: String, reason: String)

  package var description: String {
    switch self {
    case .notWritten(let path, let reason):
      "The sample folder \(path) was not written: \(reason) Choose a parent that may be written and has 10 MB free."
    case .notRemoved(let path, let reason):
      "The sample folder \(path) was not removed: \(reason) Delete it by hand."
    }
  }
}
