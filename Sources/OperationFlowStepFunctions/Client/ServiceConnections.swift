import Foundation
import OperationFlow

/// A session for calls to a service; the session ends with the last transport that uses it.
final class ServiceConnections: Sendable {
  private let session: URLSession
  private let places = Locked(Places())
  private let turn = ConnectionTurn()

  /// The number of requests in progress, and the number of connections that have had an answer.
  private struct Places: Sendable {
    var used = 0
    var proven = 0
  }

  init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    // Each open poll occupies a connection for a minute, and no other request may wait for a free connection.
    configuration.httpMaximumConnectionsPerHost = 1_000
    // Longer than a poll: a request's own timeout has no effect if it is longer than the session's.
    configuration.timeoutIntervalForRequest = 120
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    session = URLSession(configuration: configuration, delegate: ServiceDelegate(), delegateQueue: queue)
  }

  deinit { session.finishTasksAndInvalidate() }

  /// Sends a request and returns the answer.
  ///
  /// If the surrounding task is cancelled, the request is cancelled.
  func answer(to request: URLRequest) async throws -> (Data, HTTPURLResponse) {
    guard URLLoading.isBusyBeforeFirstAnswer else { return try await exchange(request) }
    // On Linux, waiting for the first answer on a connection uses a whole core: the system polls until the connection
    // can be written. Later answers cost nothing, so a long poll must not be a connection's first request.
    let isProven = places.withLock { places in
      defer { places.used += 1 }
      return places.used < places.proven
    }
    defer { places.withLock { $0.used -= 1 } }
    if isProven { return try await exchange(request) }
    if request.timeoutInterval > 60, let url = request.url {
      // One request after the other; otherwise several would get their first answers on the same connection.
      await turn.acquire()
      var first = URLRequest(url: url)
      first.timeoutInterval = 5
      _ = Task.isCancelled ? nil : try? await exchange(first)
      countProvenPlace()
      return try await exchange(request) { turn.pass() }
    }
    let answer = try await exchange(request)
    countProvenPlace()
    return answer
  }

  /// Counts a connection that has had an answer; the count is never more than the requests in progress.
  private func countProvenPlace() { places.withLock { $0.proven = max($0.proven, min($0.proven + 1, $0.used)) } }

  /// Sends a request and returns the answer; `begun` is called when the request is in the session's queue.
  private func exchange(
    _ request: URLRequest, begun: @Sendable () -> Void = {}
  ) async throws -> (Data, HTTPURLResponse) {
    let transfer = Transfer(queue: session.delegateQueue)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let task = session.dataTask(with: request) { data, response, error in
          if let response = response as? HTTPURLResponse, error == nil {
            continuation.resume(returning: (data ?? Data(), response))
          } else {
            continuation.resume(throwing: error ?? URLError(.badServerResponse))
          }
        }
        transfer.begin(task)
        begun()
      }
    } onCancel: {
      transfer.cancel()
    }
  }
}

/// A turn that one request has at a time; the others wait for it in order, without blocking a thread.
private final class ConnectionTurn: Sendable {
  private let state = Locked((isTaken: false, waiting: [CheckedContinuation<Void, Never>]()))

  func acquire() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.isTaken { state.waiting.append(continuation) }
        defer { state.isTaken = true }
        return !state.isTaken
      }
      if isFree { continuation.resume() }
    }
  }

  func pass() {
    let next = state.withLock { state in
      state.isTaken = !state.waiting.isEmpty
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
    next?.resume()
  }
}

/// A request that can be cancelled before, while or after it is sent.
private final class Transfer: Sendable {
  private let state = Locked((task: URLSessionTask?.none, isCancelled: false))
  private let queue: OperationQueue

  init(queue: OperationQueue) { self.queue = queue }

  func begin(_ task: URLSessionTask) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    task.resume()
    if isCancelled { stop(task) }
  }

  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    if let task { stop(task) }
  }

  private func stop(_ task: URLSessionTask) {
    // On Linux, the process crashes if a task is cancelled while its delegate is being asked.
    queue.addOperation { task.cancel() }
  }
}

private final class ServiceDelegate: NSObject, URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    guard task.state == .running else { return }
    // Don't follow redirections: a signature is valid for one host and one path.
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    completionHandler(URLLoading.answerToChallenge, nil)
  }
}
