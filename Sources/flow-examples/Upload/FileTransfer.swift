import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The upload of one file to a server, with an HTTP PUT.
package final class FileTransfer: @unchecked Sendable {
  // Invariant of the unchecked conformance: `task` and `isCancelled` are used under `lock` only.
  private let lock = NSLock()
  private var task: URLSessionTask?
  private var isCancelled = false

  /// Sends the file; call this only once.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - link: The address for the file.
  ///   - completion: A closure that is called once, with the error, or with nil if the file is stored.
  package func start(_ file: URL, to link: URL, completion: @escaping @Sendable (UploadError?) -> Void) {
    // For a symbolic link, URLSession would use the length of the link, not that of its file.
    let file = file.resolvingSymlinksInPath()
    var request = URLRequest(url: link)
    request.httpMethod = "PUT"
    guard !file.isExistingFolder,
      let task = try? URLSession.uploads.fileUploadTask(
        with: request, file: file,
        completionHandler: { _, response, error in
          let isUnreadable = error is CocoaError
          completion(
            isUnreadable ? .unreadable(path: file.path) : UploadError(link: link, response: response, error: error))
        })
    else { return completion(.unreadable(path: file.path)) }
    lock.withLock {
      self.task = task
      task.resume()
      // An earlier cancel found no task. The task is still resumed, because only then it is certain to end.
      if isCancelled { task.cancelUpload() }
    }
  }

  /// Stops the transfer, which then ends with an error; you can call this at any time.
  package func cancel() {
    let task = lock.withLock {
      isCancelled = true
      return self.task
    }
    task?.cancelUpload()
  }
}

extension FileTransfer {
  /// Sends a file, and returns when it is stored; cancelling the task that awaits it stops the transfer.
  package static func upload(_ file: URL, to link: URL) async throws {
    try Task.checkCancellation()
    let transfer = FileTransfer()
    let failure = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        transfer.start(file, to: link) { failure in continuation.resume(returning: failure) }
      }
    } onCancel: {
      transfer.cancel()
    }
    guard let failure else { return }
    // The error of a transfer that was stopped is not an answer of the server.
    try Task.checkCancellation()
    throw failure
  }
}
