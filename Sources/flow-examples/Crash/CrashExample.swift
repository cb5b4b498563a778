import Foundation

/// An upload in a process of its own that is killed in the middle, and resumed.
enum CrashExample {
  private static let (fileCount, width, kills) = (200, 4, [60, 130])

  /// Runs it, and prints how it went.
  ///
  /// - Returns: The exit code: 0 if every file is stored, and no file was sent again that had been stored for good.
  static func run() async -> Int32 {
    do {
      let samples = try SampleFolder(fileCount: fileCount, sizes: .mixed)
      defer { try? samples.remove() }
      // Empty folders, for what the receiver stores and for the journal.
      let (storage, journal) = (try SampleFolder(fileCount: 0), try SampleFolder(fileCount: 0))
      defer {
        try? storage.remove()
        try? journal.remove()
      }
      return try await run(samples, storage, journal)
    } catch {
      Console.report("flow-examples: \(error)")
      return 1
    }
  }

  private static func run(
    _ samples: SampleFolder, _ storage: SampleFolder, _ journal: SampleFolder
  ) async throws -> Int32 {
    let arrivals = Arrivals()
    let receiver = HTTPReceiver(storingIn: storage.url) { request in
      if request.method == "PUT", let name = request.fileName { arrivals.note(name) }
      return nil
    }
    Proxy.bypassOnLoopback()
    try receiver.start()
    defer { receiver.stop() }
    let arguments = [
      "upload", "--folder", samples.url.path, "--to", try receiver.url.absoluteString, "--width", "\(width)",
      "--resume", journal.url.path,
    ]
    for count in kills {
      let child = Child(arguments)
      try child.start()
      // The child is killed while the receiver stores this file, at no particular point of its own work.
      await arrivals.reach(count, or: child)
      child.kill()
      await child.end()
      print("killed after \(arrivals.count) files had arrived")
    }
    let child = Child(arguments)
    try child.start()
    let code = await child.end()
    print("resumed: \(arrivals.count) arrivals of \(fileCount) files, \(arrivals.repeatedCount) of them sent again")
    for file in samples.files {
      let stored = storage.url.appendingPathComponent(file.lastPathComponent, isDirectory: false)
      try expect(
        try Checksum(fileAt: stored) == Checksum(fileAt: file), "\(file.lastPathComponent) is stored as it was")
    }
    // What was under way when the process was killed is sent again, and nothing else.
    try expect(arrivals.repeatedCount <= kills.count * width, "no file is sent again that was stored for good")
    return code
  }
}

/// Counts the files that arrive, from any thread.
private final class Arrivals: @unchecked Sendable {
  // Invariant of the unchecked conformance: the counts and the waiters are used under `lock` only.
  private let lock = NSLock()
  private var counts: [String: Int] = [:]
  private var total = 0
  private var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

  var count: Int { lock.withLock { total } }
  var repeatedCount: Int { lock.withLock { counts.values.reduce(0) { $0 + $1 - 1 } } }

  func note(_ name: String) {
    let reached = lock.withLock {
      total += 1
      counts[name, default: 0] += 1
      defer { waiters.removeAll { $0.count <= total } }
      return waiters.filter { $0.count <= total }
    }
    for waiter in reached { waiter.continuation.resume() }
  }

  /// Waits until that many have arrived, or until the process has ended.
  func reach(_ count: Int, or child: Child) async {
    child.whenEnded { self.release() }
    await withCheckedContinuation { continuation in
      let isReached = lock.withLock {
        if total < count, child.isRunning { waiters.append((count, continuation)) }
        return waiters.last?.count != count
      }
      if isReached { continuation.resume() }
    }
  }

  private func release() {
    let released = lock.withLock {
      defer { waiters = [] }
      return waiters
    }
    for waiter in released { waiter.continuation.resume() }
  }
}

/// This program as another process.
private final class Child: @unchecked Sendable {
  // Invariant of the unchecked conformance: `process` is made in `init` and thread-safe, the rest is used under `lock`.
  private let process = Process()
  private let lock = NSLock()
  private var hasEnded = false
  private var callbacks: [@Sendable () -> Void] = []

  init(_ arguments: [String]) {
    process.executableURL = Bundle.main.executableURL
    process.arguments = arguments
  }

  var isRunning: Bool { lock.withLock { !hasEnded } }

  func start() throws {
    process.terminationHandler = { _ in
      let callbacks = self.lock.withLock {
        self.hasEnded = true
        defer { self.callbacks = [] }
        return self.callbacks
      }
      for callback in callbacks { callback() }
    }
    try process.run()
  }

  func whenEnded(_ body: @escaping @Sendable () -> Void) {
    let isNow = lock.withLock {
      if !hasEnded { callbacks.append(body) }
      return hasEnded
    }
    if isNow { body() }
  }

  func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

  @discardableResult
  func end() async -> Int32 {
    await withCheckedContinuation { continuation in whenEnded { continuation.resume() } }
    return process.terminationStatus
  }
}
