import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One file on its way to a server, with an HTTP PUT.
final class FileTransfer: @unchecked Sendable {
  // Invariant of the unchecked conformance: `task` and `isCancelled` are touched under `lock` alone.
  private let lock = NSLock()
  private var task: URLSessionTask?
  private var isCancelled = false

  /// Sends the file; to be called once.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - link: The address under which it is to be stored.
  ///   - completion: Called once, with what went wrong, or with nil if the file is stored.
  func start(_ file: URL, to link: URL, completion: @escaping @Sendable (UploadError?) -> Void) {
    // URLSession takes a link's own length for that of the file behind it.
    let file = file.resolvingSymlinksInPath()
    var request = URLRequest(url: link)
    request.httpMethod = "PUT"
    guard !file.isExistingFolder,
      let task = try? URLSession.uploads.fileUploadTask(
        with: request, file: file,
        completionHandler: { _, response, error in
          completion(UploadError(link: link, response: response, error: error))
        })
    else { return completion(.unreadable(path: file.path)) }
    lock.withLock {
      self.task = task
      task.resume()
      // A cancel that came before has found no task. It is begun all the same, as only then it surely ends.
      if isCancelled { task.cancelUpload() }
    }
  }

  /// Stops the transfer, which then ends with an error; may be called at any time.
  func cancel() {
    let task = lock.withLock {
      isCancelled = true
      return self.task
    }
    task?.cancelUpload()
  }
}

extension FileTransfer {
  /// Sends a file, and returns when it is stored; cancelling the task that awaits it stops the transfer.
  static func upload(_ file: URL, to link: URL) async throws {
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
    // What a transfer that was stopped fails with is no answer of the server.
    try Task.checkCancellation()
    throw failure
  }
}
