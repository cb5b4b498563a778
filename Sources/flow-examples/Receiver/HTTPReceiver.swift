import Dispatch
import Foundation

/// A small HTTP/1.1 server on the loopback interface that stores what clients PUT; it runs until `stop()`.
final class HTTPReceiver: @unchecked Sendable {
  // Invariant of the unchecked conformance: `listener` and `connections` are used on `queue` only, and everything else
  // is immutable.

  /// Answers a request in place of the stored files, or returns nil to leave it to them; called on many threads.
  typealias Handler = @Sendable (HTTPRequest) -> HTTPResponse?

  private let files: StoredFiles
  private let limits: HTTPLimits
  private let handler: Handler
  private let queue = DispatchQueue(label: "flow-examples.receiver")

  /// Entered once for the listening socket and once for every connection.
  private let open = DispatchGroup()

  private var listener: (source: any DispatchSourceRead, port: UInt16)?
  private var connections: Set<Socket> = []

  init(
    storingIn folder: URL, limits: HTTPLimits = HTTPLimits(), handler: @escaping Handler = { _ in nil }
  ) {
    files = StoredFiles(folder: folder)
    self.limits = limits
    self.handler = handler
  }

  /// The address to send to: `http://127.0.0.1:PORT/`.
  var url: URL {
    get throws {
      let port = queue.sync { listener?.port }
      guard let port, let url = URL(string: "http://127.0.0.1:\(port)/") else { throw HTTPReceiverError.notStarted }
      return url
    }
  }

  /// Makes the folder if it is missing, and listens.
  func start() throws {
    try queue.sync {
      guard listener == nil else { throw HTTPReceiverError.alreadyStarted }
      try FileManager.default.createDirectory(at: files.folder, withIntermediateDirectories: true)
      let (socket, port) = try Socket.listeningOnLoopback()
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
  }

  /// Closes every socket, and returns when nothing more is being stored; the handler must not call it.
  func stop() {
    queue.sync {
      listener?.source.cancel()
      listener = nil
      for socket in connections { socket.interrupt() }
    }
    open.wait()
  }

  private func acceptConnections(on listener: Socket) {
    while let socket = listener.acceptConnection(idleSeconds: limits.idleSeconds) {
      connections.insert(socket)
      open.enter()
      // A thread of its own, because a shared pool would miss a blocked thread elsewhere.
      let thread = Thread { self.serve(socket) }
      thread.name = "flow-examples.connection"
      thread.start()
    }
  }

  private func serve(_ socket: Socket) {
    let connection = HTTPConnection(socket: socket, limits: limits) { [files, handler] request in
      handler(request) ?? files.answer(request)
    }
    connection.serve()
    // Closed on the queue, so that `stop()` never interrupts a number that another socket has received since.
    queue.async {
      self.connections.remove(socket)
      socket.closeDescriptor()
      self.open.leave()
    }
  }
}

/// Why a receiver could not do what it was asked to do.
enum HTTPReceiverError: Error, Hashable, CustomStringConvertible {
  case alreadyStarted
  case notStarted

  var description: String {
    switch self {
    case .alreadyStarted: "The receiver listens already. Stop it before you start it again."
    case .notStarted: "The receiver has no address. Start it first."
    }
  }
}
