import Foundation
import OperationFlow

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends one file to the server with an HTTP PUT, and leaves the address under which it is there now.
final class UploadFileOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  // Invariant of the unchecked conformance: `task` is touched under `lock` alone.
  private let lock = NSLock()
  private var task: URLSessionTask?

  static func create() -> FlowOperation { UploadFileOp() }

  // The group puts its item under the one key and takes the output from the other.
  override var primaryInputParamKey: String { FlowKey.file.name }
  override var primaryOutputParamKey: String { FlowKey.link.name }

  override func mainLogic() {
    // The file is this item's own; the folder and the server are the flow's, and the same for all items.
    guard let name: String = getData(name: .file), let folder: URL = getData(name: .folder),
      let server: URL = getData(name: .server)
    else { return }
    // URLSession takes a link's own length for that of the file behind it.
    let file = folder.appending(component: name).resolvingSymlinksInPath()
    let link = server.appending(component: name)
    var request = URLRequest(url: link)
    request.httpMethod = "PUT"
    guard !file.isExistingFolder,
      let task = try? URLSession.uploads.fileUploadTask(
        with: request, file: file,
        completionHandler: { _, response, error in self.finish(link: link, response: response, error: error) })
    else { return finishWithError(error: UploadError.unreadable(path: file.path)) }
    // It ends in the completion handler, when this method has long returned.
    startWithAsynchronous()
    lock.withLock {
      // A cancel that came before has found no task yet.
      guard !isCancelled else { return task.cancelUpload() }
      self.task = task
      task.resume()
    }
  }

  /// Stops the transfer as well; `super` ends the operation.
  override func cancel() {
    super.cancel()
    lock.withLock { task }?.cancelUpload()
  }

  private func finish(link: URL, response: URLResponse?, error: (any Error)?) {
    // A cancelled operation has ended already.
    if isCancelled { return }
    if let failure = UploadError(link: link, response: response, error: error) {
      finishWithError(error: failure)
    } else {
      setData(name: .link, value: link)
      finishSuccessfully()
    }
  }
}
