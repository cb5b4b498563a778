import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What is measured in a process of its own: the peak of its memory, which is that of the process, and its threads.
struct MemoryCase: Sendable {
  let name: String
  /// Without what another case needs: an empty process, where nothing else is said.
  var beyond = "empty process"
  /// Over how many things the memory is divided.
  var unitCount = 1
  /// The most that a unit may take, in KiB.
  var limit: Double?
  /// The most threads that there may be, all of the process counted.
  var threadLimit: Int?
  let run: @Sendable () async -> Void

  struct Result: Sendable, Codable {
    let name: String
    let beyond: String
    let kibibytes: Double
    let kibibytesEach: Double
    let limit: Double?
    let threads: Int
    let threadLimit: Int?

    var isWithinLimit: Bool {
      (limit.map { kibibytesEach <= $0 } ?? true) && (threadLimit.map { threads <= $0 } ?? true)
    }
  }

  /// Runs the case, and the one that it goes beyond, in children of this process.
  func measure() throws -> Result {
    let own = try MemoryProbe.measure(name)
    let other = try MemoryProbe.measure(beyond)
    let kibibytes = Double(own.bytes - other.bytes) / 1_024
    return Result(
      name: name, beyond: beyond, kibibytes: kibibytes, kibibytesEach: kibibytes / Double(unitCount), limit: limit,
      threads: own.threads, threadLimit: threadLimit)
  }

  /// Runs the case in this process, and prints what it needed.
  func report() async {
    await run()
    print(MemoryProbe.peak, MemoryProbe.mostThreads)
  }
}

/// What a process needs.
enum MemoryProbe {
  /// The most threads that were seen when a case looked.
  nonisolated(unsafe) private(set) static var mostThreads = 0

  /// Counts the threads of this process as they are now; on Linux only.
  static func countThreads() {
    let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
    mostThreads = max(mostThreads, threads ?? 0)
  }

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

  /// Runs a case in a child of this process, and returns what that tells.
  static func measure(_ name: String) throws -> (bytes: Int, threads: Int) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = ["--memory", name]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let numbers = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    guard numbers.count == 2 else { throw CocoaError(.fileReadCorruptFile) }
    return (numbers[0], numbers[1])
  }
}
