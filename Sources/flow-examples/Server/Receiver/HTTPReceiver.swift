import Dispatch
import Foundation

/// A small HTTP/1.1 server on the loopback interface that stores what clients PUT; it runs until `stop()`.
package final class HTTPReceiver: @unchecked Sendable {
  // Invariant of the unchecked conformance: `listener`, `connections` and the state of restarts are used on `queue`
  // only, and everything else is immutable.

  /// Answers a request in place of the stored files, or returns nil if they have to; called on many threads.
  package typealias Handler = @Sendable (HTTPRequest) -> HTTPResponse?

  /// Returns the fault that a request meets, given its header, or nil if it meets none; called on many threads.
  package typealias FaultSource = @Sendable (HTTPRequest) -> ConnectionFault?

  private let files: StoredFiles
  private let limits: HTTPLimits
  private let fault: FaultSource
  private let handler: Handler
  private let queue = DispatchQueue(label: "flow-examples.receiver")

  /// Entered once for the listening socket and once for every connection.
  private let open = DispatchGroup()

  private var listener: (source: any DispatchSourceRead, port: UInt16)?
  private var connections: Set<Socket> = []
  private var isRestarting = false
  private var isStopped = false
  private var restarts = Restarts()

  package init(
    storingIn folder: URL, limits: HTTPLimits = HTTPLimits(), handler: @escaping Handler = { _ in nil },
    fault: @escaping FaultSource = { _ in nil }
  ) {
    files = StoredFiles(folder: folder)
    self.limits = limits
    self.fault = fault
    self.handler = handler
  }

  /// The address to send to: `http://127.0.0.1:PORT/`.
  package var url: URL {
    get throws {
      let port = queue.sync { listener?.port }
      guard let port, let url = URL(string: "http://127.0.0.1:\(port)/") else { throw HTTPReceiverError.notStarted }
      return url
    }
  }

  /// Makes the folder if it is missing, and listens.
  package func start() throws {
    try queue.sync {
      guard listener == nil else { throw HTTPReceiverError.alreadyStarted }
      try FileManager.default.createDirectory(at: files.folder, withIntermediateDirectories: true)
      try listen(onPort: 0)
      isStopped = false
    }
  }

  /// Closes every socket, and returns when nothing more is being stored.
  ///
  /// Neither the handler nor a fault may call it.
  package func stop() {
    queue.sync {
      isStopped = true
      closeAll()
    }
    open.wait()
  }

  private func listen(onPort wanted: UInt16) throws(SocketError) {
    let (socket, port) = try Socket.listeningOnLoopback(port: wanted)
    let source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
    source.setEventHandler { self.acceptConnections(on: socket) }
    // Only a cancelled source has released its descriptor.
    source.setCancelHandler {
      socket.closeDescriptor()
      self.open.leave()
    }
    open.enter()
    source.activate()
    listener = (source, port)
  }

  private func closeAll() {
    listener?.source.cancel()
    listener = nil
    for socket in connections { socket.interrupt() }
  }

  private func acceptConnections(on listener: Socket) {
    while let socket = listener.acceptConnection(idleSeconds: limits.idleSeconds) {
      connections.insert(socket)
      open.enter()
      // A thread of its own, because connections block, and would occupy the threads of a shared pool.
      let thread = Thread { self.serve(socket) }
      thread.name = "flow-examples.connection"
      thread.start()
    }
  }

  private func serve(_ socket: Socket) {
    let connection = HTTPConnection(socket: socket, limits: limits, fault: fault, restart: restart) {
      [files, handler] request in handler(request) ?? files.answer(request)
    }
    connection.serve()
    // Closed on the queue, so that `stop()` never interrupts a descriptor number that the system reused for another
    // socket.
    queue.async {
      self.connections.remove(socket)
      socket.closeDescriptor()
      self.open.leave()
    }
  }
}

// MARK: - Restarting

extension HTTPReceiver {
  /// A count of a receiver's restarts.
  package struct Restarts: Hashable, Sendable {
    package var count = 0
    /// The number of open connections that were cut.
    package var cutConnections = 0
    /// The error that prevents the receiver from listening; nil if it listens.
    package var failure: SocketError?
  }

  /// The restarts so far.
  package var restartsSoFar: Restarts { queue.sync { restarts } }

  /// Starts a restart, as if the process had ended and was started again; does nothing during a restart.
  @Sendable private func restart() {
    // A thread of its own: a connection that waited for the end of all connections would wait for itself.
    let thread = Thread { self.closeAndListenAgain() }
    thread.name = "flow-examples.restart"
    thread.start()
  }

  private func closeAndListenAgain() {
    let port = queue.sync { () -> UInt16? in
      guard !isRestarting, let port = listener?.port else { return nil }
      isRestarting = true
      restarts.count += 1
      restarts.cutConnections += connections.count
      closeAll()
      return port
    }
    guard let port else { return }
    open.wait()
    // No one listens for a moment, as with a process that has to start.
    Thread.sleep(forTimeInterval: 0.02)
    // Meanwhile the system may have given the port to a client's end of a connection, until that client disconnects.
    for _ in 0..<500 {
      if queue.sync(execute: { hasListenedAgain(onPort: port) }) { return }
      Thread.sleep(forTimeInterval: 0.01)
    }
  }

  /// Listens on the port again, or records why it can't; returns true if no further attempt is needed.
  private func hasListenedAgain(onPort port: UInt16) -> Bool {
    do throws(SocketError) {
      if !isStopped { try listen(onPort: port) }
      restarts.failure = nil
      isRestarting = false
      return true
    } catch {
      restarts.failure = error
      return false
    }
  }
}

/// An error of a receiver that is used in the wrong order.
package enum HTTPReceiverError: Error, Hashable, CustomStringConvertible {
  case alreadyStarted
  case notStarted

  package var description: String {
    switch self {
    case .alreadyStarted: "The receiver listens already. Stop it before you start it again."
    case .notStarted: "The receiver has no address. Start it first."
    }
  }
}
