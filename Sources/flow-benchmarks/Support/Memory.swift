import Foundation
import OperationFlow

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What is measured in a process of its own, for the peak of its memory is that of the process.
struct MemoryCase: Sendable {
  let name: String
  let run: @Sendable () async -> Void

  static let all = [
    MemoryCase(name: "empty process") {},
    MemoryCase(name: "arrays of 1,000,000 items and outputs") {
      let items = Array(0..<1_000_000)
      let outputs: [any Sendable] = items.map { $0 }
      withExtendedLifetime((items, outputs)) {}
    },
    MemoryCase(name: "group of 1,000,000 items with their outputs") {
      await Flow().set("items", to: Array(0..<1_000_000))
        .forEach("items" as FlowKey<[Int]>, into: "outputs" as FlowKey<[Int]>) { item, _ in item }.run()
    },
    MemoryCase(name: "progression of 1,000,000 steps that defer") {
      _ = try? await Deferring(left: 1_000_000).deferred(queue: DispatchQueue(label: "progression")).value
    },
    MemoryCase(name: "deferred that goes on with itself 1,000,000 times") {
      @Sendable func count(from number: Int) -> Deferred<Int> {
        guard number < 1_000_000 else { return .unit { number } }
        return Deferred { number + 1 }.flatMap { use in count(from: try use()) }
      }
      _ = try? await count(from: 0).value
    },
    MemoryCase(name: "10,000 flows in flight") {
      let gate = Gate()
      let runs = (0..<10_000).map { _ in Flow().add("wait") { _ in await gate.wait() }.start() }
      while gate.waitingCount < runs.count { await Task.yield() }
      gate.open()
      for run in runs { _ = await run.outcome }
    },
  ]

  /// The peak resident size of this process, in bytes.
  static var peak: Int {
    // On Linux `getrusage` tells the peak of the parent as well, from before this program was loaded.
    if let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
      let kilobytes = line.split(separator: " ").compactMap({ Int($0) }).first
    {
      return kilobytes * 1_024
    }
    var usage = rusage()
    #if canImport(Darwin)
      getrusage(RUSAGE_SELF, &usage)
    #endif
    return Int(usage.ru_maxrss)
  }

  /// Runs the case in a child of this process, and returns the peak that it tells.
  func measure() throws -> Int {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = ["--memory", name]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Int(String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
  }
}

/// Takes its steps by futures that call back at once.
private struct Deferring: Progression {
  let left: Int
  var result: Int? { left == 0 ? 0 : nil }
  func next() -> Deferred<Deferring> { .future { resolve in resolve { Deferring(left: left - 1) } } }
}

/// Holds tasks back until it is opened.
private final class Gate: @unchecked Sendable {
  // Invariant: everything is read and written under `lock` only.
  private let lock = NSLock()
  private var waiters: [CheckedContinuation<Void, Never>] = []

  var waitingCount: Int { lock.withLock { waiters.count } }

  func wait() async {
    await withCheckedContinuation { continuation in
      lock.withLock { waiters.append(continuation) }
    }
  }

  func open() {
    let waiting = lock.withLock {
      defer { waiters = [] }
      return waiters
    }
    for waiter in waiting { waiter.resume() }
  }
}
