import Foundation
import OperationFlow

/// Finds the names of a folder's regular files, sorted.
final class ListFilesOp: FlowOperation, @unchecked Sendable {
  override func mainLogic() {
    guard let folder: URL = getData(name: .folder) else { return }
    guard folder.isExistingFolder else { return finishWithError(error: FolderError.missing(path: folder.path)) }
    do {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      let files = names.filter { isToBeSent(folder.appending(component: $0)) }
      guard !files.isEmpty else { return finishWithError(error: FolderError.empty(path: folder.path)) }
      if files.count < names.count {
        log(message: "left out, as they are no regular files: \(names.count - files.count) of \(names.count) entries")
      }
      setData(name: .files, value: files)
      finishSuccessfully()
    } catch {
      finishWithError(error: FolderError.unreadable(path: folder.path, reason: error.localizedDescription))
    }
  }

  /// Leaves out what cannot be sent, such as subfolders; a link that leads nowhere stays in, as its upload is to fail.
  private func isToBeSent(_ entry: URL) -> Bool {
    guard FileManager.default.fileExists(atPath: entry.path) else { return true }
    let values = try? entry.resolvingSymlinksInPath().resourceValues(forKeys: [.isRegularFileKey])
    return values?.isRegularFile ?? true
  }
}

extension URL {
  /// Whether a folder is there, be it behind a symbolic link.
  var isExistingFolder: Bool {
    var isFolder = false as ObjCBool
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }
}

/// Why a folder has no files to upload.
enum FolderError: Error, Hashable, CustomStringConvertible {
  case missing(path: String)
  case unreadable(path: String, reason: String)
  case empty(path: String)

  var description: String {
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
