import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Random flows in processes that are killed at any moment, and resumed until they end.
///
/// `OPERATIONFLOW_EFFORT` changes their number. A failure prints a seed: set it as `OPERATIONFLOW_SEED`, with the
/// effort 0, to repeat that seed alone.
@Suite(.long) struct KilledRunTests {
  private static let killCount = TestSettings.amount(5)
  private static let killsOfOne = 3
  private static let durabilities: [FlowDurability] = [.operatingSystem, .grouped(), .everySettlement]

  @Test func `flows that are killed and resumed end as if they had not been, and repeat nothing that had settled`()
    async throws
  {
    var (kills, middleKills, seed) = (0, 0, TestSettings.firstSeed())
    var random = SplitMix(seed: seed)
    defer { KilledRun.removeOrder() }
    while kills < Self.killCount {
      let checked = try await Self.check(seed, &random)
      kills += checked.kills
      middleKills += checked.middleKills
      seed &+= 1
    }
    // A kill before the run begins, or after its end, shows nothing.
    if kills >= 100 { #expect(middleKills > kills / 10, "only \(middleKills) of \(kills) kills met a run") }
  }

  private static func check(
    _ seed: UInt64, _ random: inout SplitMix
  ) async throws -> (kills: Int, middleKills: Int) {
    let script = RandomFlow(seed: seed)
    let memory = MemoryFlowStore()
    let outcome = await script.build().run(id: "r", in: memory, durability: .operatingSystem)
    // Runs with a random end, and runs that a call cancels in the middle, may end otherwise each time.
    guard Interpreter(script).isDecided, outcome.report.cancellation == nil, outcome.failure?.isRefusal != true else {
      return (0, 0)
    }
    let flow = script.build()
    let paths = flow.makeLaunch().facts.paths
    let attemptCount = try DurableCheck.settledKeys(memory.journals["r"] ?? [], paths).count
    guard attemptCount > 1 else { return (0, 0) }
    return try await withJournalFolder { folder in
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let place = KilledRun(folder: folder.path, seed: seed)
      var settled: Set<String> = []
      var (lineCount, middleKills) = (0, 0)
      for kill in 0...killsOfOne {
        let isLast = kill == killsOfOne
        let name: Comment = "OPERATIONFLOW_SEED=\(seed) OPERATIONFLOW_EFFORT=0: run \(kill)"
        var order = KilledRun(folder: folder.path, seed: seed)
        if isLast {
          try order.hand()
          await #expect(processExitsWith: .success, name) { try await KilledRun.handed().run() }
        } else {
          // Some kills happen while the journal is opened or the run is restored, which need more time than most runs.
          let attempt = random.next() % 4 == 0 ? 0 : 1 + random.next() % UInt64(attemptCount / 2 + 1)
          order.durability = kill
          order.killedAt = attempt
          order.delay = random.next() % (attempt == 0 ? 20_000 : random.next() % 2 == 0 ? 1 : 300)
          try order.hand()
          await #expect(processExitsWith: .signal(SIGKILL), name) { try await KilledRun.handed().run() }
        }
        let lines = try place.lines
        #expect(lines.dropFirst(lineCount).filter(settled.contains) == [], name)
        lineCount = lines.count
        let entries = try FileFlowStore(folder: folder).readJournal(of: "r") ?? []
        settled = try DurableCheck.settledKeys(entries, paths)
        if !isLast, let last = entries.last, !JournalEntry.isEnding(last) {
          middleKills += 1
          // A killed attempt counts, which may decide the end. With this entry each process seems to have ended in
          // order.
          try await FileFlowStore(folder: folder).withJournal(of: "r") { try $0.append(JournalEntry.left.data) }
        }
      }
      for (key, count) in Dictionary(try place.lines.map { ($0, 1) }, uniquingKeysWith: +) {
        #expect(count <= 1 + killsOfOne, "OPERATIONFLOW_SEED=\(seed): \(key)")
      }
      let expected = Self.text(of: outcome)
      let found = try place.outcome
      // If the value in the journal has another type than its reader requires, the run is left, and hasn't failed.
      if outcome.hasMistypedRead, found.contains("The run is left as it was") { return (killsOfOne, middleKills) }
      #expect(found == expected, "OPERATIONFLOW_SEED=\(seed): \(found), and not \(expected)\n\(script.steps)")
      return (killsOfOne, middleKills)
    }
  }

  /// Returns the parts that have to be equal.
  ///
  /// After an ended run, values that can't be stored are missing.
  static func text(of outcome: FlowOutcome) -> String {
    DurableCheck.text(of: outcome, false).filter { !$0.hasSuffix(": not stored") }.joined(separator: "\n")
  }

  static func durability(_ number: Int) -> FlowDurability { durabilities[number % durabilities.count] }
}

/// A run in a process of its own, and the files that it writes in a folder besides its journal.
private struct KilledRun: Codable, Sendable {
  let folder: String
  let seed: UInt64
  var durability = 0
  /// The number of the attempt, from 1, after which the process is killed; 0 for the beginning, nil for never.
  var killedAt: UInt64?
  /// The microseconds between the attempt's start and the kill.
  var delay: UInt64 = 0

  /// Returns the file in which a process writes the order for its children.
  ///
  /// Their closures can capture nothing before Swift 6.3.
  private static func order(of process: pid_t) -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("killed-run-\(process).json")
  }

  func hand() throws { try JSONEncoder().encode(self).write(to: Self.order(of: getpid()), options: .atomic) }

  static func handed() throws -> Self {
    try JSONDecoder().decode(Self.self, from: Data(contentsOf: order(of: getppid())))
  }

  static func removeOrder() { try? FileManager.default.removeItem(at: order(of: getpid())) }

  private var ranPath: String { folder + ".ran" }
  private var outcomePath: String { folder + ".outcome" }

  /// The keys of the work that began, with the attempts, in any process.
  var lines: [String] {
    get throws {
      guard FileManager.default.fileExists(atPath: ranPath) else { return [] }
      return try String(contentsOfFile: ranPath, encoding: .utf8).split(separator: "\n").map(String.init)
    }
  }

  /// The outcome of the run, as text.
  var outcome: String {
    get throws { try String(contentsOfFile: outcomePath, encoding: .utf8) }
  }

  /// Runs or resumes the flow, in a process that is killed on the way.
  ///
  /// The kill is some microseconds after the start of an attempt, or of this function, and at the end of the run at the
  /// latest. Without an order to be killed, the process ends with the run.
  func run() async {
    let (attempt, delay) = (killedAt, delay)
    // The first run in a process is slower, so most kills would be too early without this one.
    if attempt != nil { _ = await RandomFlow(seed: seed).build().run(id: "r", in: MemoryFlowStore()) }
    let count = Locked<UInt64>(0)
    let file = open(ranPath, O_WRONLY | O_APPEND | O_CREAT, 0o600)
    let flow = RandomFlow(seed: seed).build { key in
      let line = Array("\(key)\n".utf8)
      _ = line.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      let number = count.withLock { count in
        count += 1
        return count
      }
      if number == attempt { Self.kill(after: delay) }
    }
    if attempt == 0 { Self.kill(after: delay) }
    let store = FileFlowStore(folder: URL(fileURLWithPath: folder, isDirectory: true))
    let outcome = await flow.run(id: "r", in: store, durability: KilledRunTests.durability(durability))
    let text = KilledRunTests.text(of: outcome)
    try? text.write(toFile: outcomePath, atomically: true, encoding: .utf8)
    if attempt != nil { Self.kill(after: 0) }
  }

  /// Kills this process after some microseconds, or immediately.
  private static func kill(after delay: UInt64) {
    if delay == 0 { Foundation.kill(getpid(), SIGKILL) }
    Thread.detachNewThread {
      usleep(UInt32(delay))
      Foundation.kill(getpid(), SIGKILL)
    }
  }
}
