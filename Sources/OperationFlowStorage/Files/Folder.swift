import Foundation

/// The actions on folders.
package enum Folder {
  /// Makes a folder and its parents if they don't exist, and returns when they are on the disk.
  ///
  /// Only its user may enter a folder that is made.
  package static func make(_ folder: URL) throws(FileFault) {
    var missing: [URL] = []
    var parent = folder.standardizedFileURL
    while !FileManager.default.fileExists(atPath: parent.path), parent.path != "/" {
      missing.append(parent)
      parent.deleteLastPathComponent()
    }
    for folder in missing.reversed() {
      // Another process may make it at the same time.
      guard mkdir(folder.path, mode_t(0o700)) == 0 || errno == EEXIST else {
        throw FileFault(action: "make the folder", path: folder.path, code: errno)
      }
    }
    for made in missing { try synchronize(made.deletingLastPathComponent().path) }
  }

  /// Returns when the names in a folder are on the disk.
  package static func synchronize(_ path: String) throws(FileFault) {
    try FileDescriptor(path, O_RDONLY, to: "open").synchronize()
  }
}
