import Foundation
import OperationFlow

/// Finds the names of a folder's regular files, sorted.
final class ListFilesOp: FlowOperation, @unchecked Sendable {
  override func mainLogic() {
    guard let folder: URL = getData(name: .folder) else { return }
    do {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      let files = names.filter { isFile(folder.appending(component: $0)) }
      guard !files.isEmpty else { throw FolderError.empty(path: folder.path) }
      if files.count < names.count {
        log(message: "left out, as they are no regular files: \(names.count - files.count) of \(names.count) entries")
      }
      setData(name: .files, value: files)
      finishSuccessfully()
    } catch let error as FolderError {
      finishWithError(error: error)
    } catch {
      finishWithError(error: FolderError.unreadable(path: folder.path, reason: error.localizedDescription))
    }
  }

  private func isFile(_ entry: URL) -> Bool {
    let values = try? entry.resolvingSymlinksInPath().resourceValues(forKeys: [.isRegularFileKey])
    // An entry of which nothing is known, such as a link that leads nowhere, stays in: its upload says what is wrong.
    return values?.isRegularFile ?? true
  }
}

/// Why a folder has no files to upload.
enum FolderError: Error, Hashable, CustomStringConvertible {
  case unreadable(path: String, reason: String)
  case empty(path: String)

  var description: String {
    switch self {
    case .unreadable(let path, let reason):
      "The folder \(path) cannot be read: \(reason) Name one that exists and that you may read."
    case .empty(let path):
      "The folder \(path) holds no files. Name one that does; files in its subfolders are not taken."
    }
  }
}
