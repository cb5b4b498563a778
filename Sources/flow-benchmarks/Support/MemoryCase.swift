/// What is measured in a process of its own: the peak of its memory, its threads, and how long it takes.
struct MemoryCase: Sendable {
  let name: String
  /// Without what another case needs: an empty process, unless said otherwise.
  var beyond = "empty process"
  /// Over how many things the memory is divided.
  var unitCount = 1
  /// The most that a unit may take, in KiB.
  var limit: Double?
  /// The most threads that there may be, all of the process counted.
  var threadLimit: Int?
  /// The most milliseconds that it may take.
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

  /// Runs the case, and the one that it goes beyond, in children of this process.
  func measure() throws -> Result {
    let own = try MemoryProbe.measure(name)
    let other = try MemoryProbe.measure(beyond)
    let kibibytes = Double(own.bytes - other.bytes) / 1_024
    return Result(
      name: name, beyond: beyond, kibibytes: kibibytes, kibibytesEach: kibibytes / Double(unitCount), limit: limit,
      threads: own.threads, threadLimit: threadLimit, milliseconds: Double(own.microseconds) / 1_000,
      timeLimit: timeLimit)
  }

  /// Runs the case in this process, and prints what it needed.
  func report() async {
    let time = await ContinuousClock().measure { await run() }
    print(MemoryProbe.peak, MemoryProbe.mostThreads, Int(time.nanoseconds / 1_000))
  }
}
