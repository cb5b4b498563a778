import Foundation
import OperationFlow

/// Finds the sorted names of a folder's regular files, and logs and stores the entries that are left out.
final class ListFilesOp: FlowOperation, @unchecked Sendable {
  override func mainLogic() {
    guard let folder: URL = getData(name: .folder) else { return }
    do throws(FolderError) {
      let listing = try FolderListing(of: folder)
      for entry in listing.leftOut { log(message: "left out: \(entry)") }
      if !listing.leftOut.isEmpty {
        setData(name: .leftOut, value: listing.leftOut)
        let count = listing.leftOut.count
        log(message: "left out, as they are no regular files: \(count) of \(count + listing.files.count) entries")
      }
      guard !listing.files.isEmpty else { throw .empty(path: folder.path) }
      setData(name: .files, value: listing.files)
      finishSuccessfully()
    } catch {
      finishWithError(error: error)
    }
  }
}

extension URL {
  /// True if the URL is that of a folder, or of a symbolic link to one.
  var isExistingFolder: Bool {
    var isFolder = false as ObjCBool
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }
}

/// An error of a folder that has no files to upload.
package enum FolderError: Error, Hashable, CustomStringConvertible {
  case missing(path: String)
  case unreadable(path: String, reason: String)
  case empty(path: String)

  package var description: String {
    switch self {
    case .missing(let path):
      "There is no folder \(path). Name one that exists."
    case .unreadable(let path, let reason):
      "The folder \(path) cannot be read (\(reason)). Name one that you may read."
    case .empty(let path):
      "The folder \(path) holds no files. Name one that does; files in its subfolders are not taken."
    }
  }
}
