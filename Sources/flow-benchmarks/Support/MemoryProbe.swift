import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Measures the memory and the threads of a process.
enum MemoryProbe {
  /// The highest number of threads that a case has counted.
  nonisolated(unsafe) private(set) static var mostThreads = 0

  /// Counts the current threads of this process; on Linux only.
  static func countThreads() {
    let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
    mostThreads = max(mostThreads, threads ?? 0)
  }

  /// The peak resident size of this process, in bytes.
  static var peak: Int {
    // On Linux, `getrusage` also reports the peak of the parent, from before this program was loaded.
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

  /// Runs a case in a child of this process, and returns the numbers that the child prints.
  static func measure(_ name: String) throws -> (bytes: Int, threads: Int, microseconds: Int) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = ["--memory", name]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let numbers = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    guard numbers.count == 3 else { throw CocoaError(.fileReadCorruptFile) }
    return (numbers[0], numbers[1], numbers[2])
  }
}
