import Foundation

/// The contents of a folder, sorted by name: the files, and the entries that are left out, with the reason.
package struct FolderListing: Sendable {
  package private(set) var files: [FileName] = []
  package private(set) var leftOut: [LeftOutEntry] = []

  /// Reads the folder without FileManager, which changes names that aren't UTF-8 into a form that finds no file.
  package init(of folder: URL) throws(FolderError) {
    guard folder.isExistingFolder else { throw .missing(path: folder.path) }
    guard let stream = opendir(folder.path) else { throw .unreadable(folder) }
    defer { closedir(stream) }
    errno = 0
    while let entry = readdir(stream) {
      withUnsafeMutablePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 1) { add($0, in: dirfd(stream)) }
      }
      errno = 0
    }
    guard errno == 0 else { throw .unreadable(folder) }
    files.sort { $0.description < $1.description }
    leftOut.sort { $0.name.description < $1.name.description }
  }

  private mutating func add(_ name: UnsafePointer<CChar>, in folder: Int32) {
    let bytes = UnsafeRawBufferPointer(start: name, count: strlen(name))
    guard !bytes.elementsEqual(".".utf8), !bytes.elementsEqual("..".utf8) else { return }
    let fileName = FileName(bytes: Array(bytes))
    var info = stat()
    // A link to something that doesn't exist counts as a file, because its upload should fail.
    guard fstatat(folder, name, &info, 0) == 0, let kind = LeftOutEntry.Kind(mode: info.st_mode) else {
      files.append(fileName)
      return
    }
    let isLink = fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && info.st_mode & S_IFMT == S_IFLNK
    leftOut.append(LeftOutEntry(name: fileName, kind: kind, isLink: isLink))
  }
}

/// An entry of a folder that isn't sent because it isn't a regular file: `pipe (a FIFO)`.
package struct LeftOutEntry: Hashable, Sendable, Codable, CustomStringConvertible {
  package enum Kind: String, Sendable, Codable {
    case folder = "a folder"
    case pipe = "a FIFO"
    case socket = "a socket"
    case device = "a device"
    case other = "no regular file"

    /// Returns the kind for a file's mode; nil for a regular file.
    init?(mode: mode_t) {
      switch mode & S_IFMT {
      case S_IFREG: return nil
      case S_IFDIR: self = .folder
      case S_IFIFO: self = .pipe
      case S_IFSOCK: self = .socket
      case S_IFCHR, S_IFBLK: self = .device
      default: self = .other
      }
    }
  }

  package let name: FileName
  package let kind: Kind
  /// True if the entry is a symbolic link to such an entry.
  package let isLink: Bool

  package var description: String { "\(name) (\(isLink ? "a link to " : "")\(kind.rawValue))" }
}

extension FolderError {
  /// Returns the error of an unreadable folder, with the reason in `errno`.
  fileprivate static func unreadable(_ folder: URL) -> FolderError {
    .unreadable(path: folder.path, reason: String(cString: strerror(errno)))
  }
}
