/// A case in a process of its own: measures the peak of its memory, its threads, and its time.
struct MemoryCase: Sendable {
  let name: String
  /// The case whose memory is subtracted; the default is an empty process.
  var beyond = "empty process"
  /// The number of units by which the memory is divided.
  var unitCount = 1
  /// The maximum memory of a unit, in KiB.
  var limit: Double?
  /// The maximum number of threads of the whole process.
  var threadLimit: Int?
  /// The maximum time, in milliseconds.
  var timeLimit: Double?
  let run: @Sendable () async -> Void

  struct Result: Sendable, Codable {
    let name: String
    let beyond: String
    let kibibytes: Double
    let kibibytesEach: Double
    let limit: Double?
    let threads: Int
    let threadLimit: Int?
    let milliseconds: Double
    let timeLimit: Double?

    var isWithinMemory: Bool { limit.map { kibibytesEach <= $0 } ?? true }
    var isWithinThreads: Bool { threadLimit.map { threads <= $0 } ?? true }
    var isWithinTime: Bool { timeLimit.map { milliseconds <= $0 } ?? true }
    var hasLimit: Bool { limit != nil || threadLimit != nil || timeLimit != nil }
    var isWithinLimit: Bool { isWithinMemory && isWithinThreads && isWithinTime }
  }

  /// Runs the case, and the one that is subtracted, in children of this process.
  func measure() throws -> Result {
    let own = try MemoryProbe.measure(name)
    let other = try MemoryProbe.measure(beyond)
    let kibibytes = Double(own.bytes - other.bytes) / 1_024
    return Result(
      name: name, beyond: beyond, kibibytes: kibibytes, kibibytesEach: kibibytes / Double(unitCount), limit: limit,
      threads: own.threads, threadLimit: threadLimit, milliseconds: Double(own.microseconds) / 1_000,
      timeLimit: timeLimit)
  }

  /// Runs the case in this process, and prints its memory, threads and time.
  func report() async {
    let time = await ContinuousClock().measure { await run() }
    print(MemoryProbe.peak, MemoryProbe.mostThreads, Int(time.nanoseconds / 1_000))
  }
}
