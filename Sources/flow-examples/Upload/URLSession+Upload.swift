import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLSession {
  /// The session for uploads: it stores nothing, and reports a redirect instead of following it.
  package static let uploads: URLSession = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    // The flow limits how many files are sent at once. If a transfer waited for a connection, that would count toward
    // the
    // time limit of the attempt.
    configuration.httpMaximumConnectionsPerHost = 1_000
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    return URLSession(configuration: configuration, delegate: UploadDelegate(), delegateQueue: queue)
  }()

  /// Creates a task that sends the bytes of a file as the request's body.
  ///
  /// - Parameters:
  ///   - request: The request, without a body.
  ///   - file: The file.
  ///   - completionHandler: A closure that is called with the answer, or with the error.
  /// - Returns: The task, which you have to resume.
  /// - Throws: The system's error if the file can't be read.
  package func fileUploadTask(
    with request: URLRequest, file: URL,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) throws -> URLSessionTask {
    #if canImport(FoundationNetworking)
      // On Linux, a task of uploadTask(with:fromFile:) crashes the process if the server answers or hangs up before it
      // has
      // all of the file: the file is still read, and then a transfer that no longer exists is resumed.
      let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
      if size <= 32 * 1024 * 1024 {
        return uploadTask(with: request, from: try Data(contentsOf: file), completionHandler: completionHandler)
      }
      // Too large for memory: the file is read while it is sent, with the chunked encoding in place of a length. A file
      // that can't be read would only end the body, as if the file were shorter.
      guard FileManager.default.isReadableFile(atPath: file.path), let stream = InputStream(url: file) else {
        throw CocoaError(.fileReadNoPermission)
      }
      var request = request
      request.httpBodyStream = stream
      // The session no longer uses the stream when its status is read. On Linux, the stream's own error isn't
      // available.
      nonisolated(unsafe) let body = stream
      return dataTask(with: request) { data, response, error in
        completionHandler(data, response, body.streamStatus == .error ? CocoaError(.fileReadUnknown) : error)
      }
    #else
      guard FileManager.default.isReadableFile(atPath: file.path) else { throw CocoaError(.fileReadNoPermission) }
      return uploadTask(with: request, fromFile: file, completionHandler: completionHandler)
    #endif
  }
}

extension URLSessionTask {
  /// Cancels the task, after its delegate has handled the current callback.
  package func cancelUpload() {
    // On Linux, the process crashes if a task is cancelled while its delegate is being asked.
    URLSession.uploads.delegateQueue.addOperation { self.cancel() }
  }
}

private final class UploadDelegate: NSObject, URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    guard task.state == .running else { return }
    // A redirected PUT may become a GET, whose success stores nothing.
    completionHandler(nil)
  }

  #if canImport(FoundationNetworking)
    // On Linux, a task that needs a password and has none waits forever unless it is stopped here.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      completionHandler(.cancelAuthenticationChallenge, nil)
    }
  #endif
}
