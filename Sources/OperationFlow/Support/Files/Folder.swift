import Foundation

/// What is done with folders.
package enum Folder {
  /// Makes a folder and its parents if they don't exist, and returns when they are on the disk.
  ///
  /// Only its user may enter a folder that is made.
  package static func make(_ folder: URL) throws {
    var missing: [URL] = []
    var parent = folder.standardizedFileURL
    while !FileManager.default.fileExists(atPath: parent.path), parent.path != "/" {
      missing.append(parent)
      parent.deleteLastPathComponent()
    }
    guard !missing.isEmpty else { return }
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for made in missing { try synchronize(made.deletingLastPathComponent().path) }
  }

  /// Returns when the names in a folder are on the disk.
  package static func synchronize(_ path: String) throws(FileFault) {
    try FileDescriptor(path, O_RDONLY, to: "open").synchronize()
  }
}
