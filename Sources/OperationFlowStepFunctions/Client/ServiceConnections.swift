import Foundation
import OperationFlow

/// A session for calls to a service; it ends with the last transport that uses it.
final class ServiceConnections: Sendable {
  private let session: URLSession
  private let places = Locked(Places())
  private let turn = ConnectionTurn()

  /// How many requests are under way, and how many connections have had an answer.
  private struct Places: Sendable {
    var used = 0
    var proven = 0
  }

  init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    // Each open poll keeps a connection for a minute, and nothing else may wait for one of these.
    configuration.httpMaximumConnectionsPerHost = 1_000
    // Longer than a poll: a request's own time counts only if the session's isn't shorter.
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
    // On Linux, waiting for the first answer on a connection keeps a core busy: the system goes on asking whether the
    // connection can be written. Later answers cost nothing, so a long poll isn't the first request.
    let isProven = places.withLock { places in
      defer { places.used += 1 }
      return places.used < places.proven
    }
    defer { places.withLock { $0.used -= 1 } }
    if isProven { return try await exchange(request) }
    if request.timeoutInterval > 60, let url = request.url {
      // One after the other: otherwise several would get their first answers on the same connection.
      await turn.take()
      var first = URLRequest(url: url)
      first.timeoutInterval = 5
      _ = Task.isCancelled ? nil : try? await exchange(first)
      notePlace()
      return try await exchange(request) { turn.pass() }
    }
    let answer = try await exchange(request)
    notePlace()
    return answer
  }

  /// Notes that one more connection has had an answer; there are no more than are needed at the same time.
  private func notePlace() { places.withLock { $0.proven = max($0.proven, min($0.proven + 1, $0.used)) } }

  /// Sends a request and returns the answer; `begun` is called when the request has its place in the session's queue.
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

/// What only one request has at a time; the others wait for it, in order, and hold no thread.
private final class ConnectionTurn: Sendable {
  private let state = Locked((isTaken: false, waiting: [CheckedContinuation<Void, Never>]()))

  func take() async {
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

/// A request that may be cancelled before, while or after it is sent.
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
    // On Linux, a task that is cancelled between the question to its delegate and the answer stops the whole process.
    queue.addOperation { task.cancel() }
  }
}

private final class ServiceDelegate: NSObject, URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    guard task.state == .running else { return }
    // A signature holds for one host and one path.
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    completionHandler(URLLoading.answerToChallenge, nil)
  }
}
