import Foundation
import OperationFlow
import UploadServer
import Uploader

/// A comparison of a soak's files with the files that the receiver stored under their names.
struct SoakComparison: Sendable {
  /// The differences, a line each.
  private(set) var errors: [String] = []

  private var storedCount = 0
  private var refusedCount = 0
  /// The files that were refused for good, by reason.
  private var refused: [String: [String]] = [:]
  /// The files that failed although none of their faults was for good, by reason.
  private var givenUp: [String: [String]] = [:]
  private var givenUpCount = 0
  /// The number of faults of each kind that stored files met.
  private var survived: [SoakFault: Int] = [:]
  private var waitCount = 0
  private var earlyCount = 0
  private var requestCount = 0
  private let fileCount: Int
  private let restarts: HTTPReceiver.Restarts

  /// Compares every file; call this after the receiver stopped.
  init(of samples: SampleFolder, with receiver: FaultyReceiver, outcome: FlowOutcome, _ tally: SoakTally) {
    fileCount = samples.files.count
    restarts = receiver.restarts
    let log = receiver.log.all
    var failures: [String: any Error] = [:]
    for failure in outcome.report.itemFailures { failures["\(failure.input)"] = failure.error }
    for file in samples.files {
      let name = file.lastPathComponent
      let entry = log[name] ?? FaultLog.Entry()
      count(entry)
      let stored = receiver.folder.appendingPathComponent(name, isDirectory: false)
      compare(
        name, isRefused: receiver.plan.refuses(name), failure: failures[name],
        isStored: FileManager.default.fileExists(atPath: stored.path),
        isSame: Self.isSame(file, stored), entry)
    }
    compareCounts(with: outcome, tally)
    compareNames(of: samples, in: receiver.folder)
  }

  private mutating func count(_ entry: FaultLog.Entry) {
    requestCount += entry.requestCount
    waitCount += entry.waitCount
    earlyCount += entry.earlyCount
  }

  private mutating func compare(
    _ name: String, isRefused: Bool, failure: (any Error)?, isStored: Bool, isSame: Bool, _ entry: FaultLog.Entry
  ) {
    if isStored && !isSame { errors.append("\(name) is not stored as it was") }
    switch failure {
    case nil where isRefused:
      errors.append("\(name) was to be refused, and is not listed as failed")
    case nil where !isStored:
      errors.append("\(name) counts as uploaded, and is not stored")
    case nil where isSame:
      storedCount += 1
      for fault in entry.faults { survived[fault, default: 0] += 1 }
    case nil:
      break
    case let error? where isRefused:
      if isStored { errors.append("\(name) was refused, and is stored") }
      refusedCount += 1
      addReason(error, of: name, isForGood: true)
    case let error?:
      addReason(error, of: name, isForGood: false)
    }
  }

  /// Records why a file failed.
  ///
  /// A reason that isn't the receiver's is an error.
  private mutating func addReason(_ error: any Error, of name: String, isForGood: Bool) {
    let reason = "\(error)"
    if isForGood && FaultyReceiver.isRefusal(reason) {
      refused[reason, default: []].append(name)
      return
    }
    givenUp[reason, default: []].append(name)
    givenUpCount += 1
    if !UploadRules.isWorthRetrying(error) { errors.append("\(name) failed with what it did not meet: \(error)") }
  }

  private mutating func compareCounts(with outcome: FlowOutcome, _ tally: SoakTally) {
    let items = outcome.report.steps.lazy.compactMap(\.items).first
    let linkCount = outcome.report[.links]?.count
    if !outcome.isSuccess { errors.append("the flow did not succeed: \(outcome)") }
    let isAlike =
      items?.succeeded == linkCount && items?.failed == outcome.report.itemFailures.count && items?.total == fileCount
    if !isAlike {
      errors.append("the counts of the record differ: \(String(describing: items)), \(linkCount ?? 0) links")
    }
    if let failure = restarts.failure { errors.append("the receiver could not restart: \(failure)") }
    // On a very slow machine a file may fail at each of its attempts, but hardly ever.
    if givenUpCount * 100 > fileCount {
      errors.append("\(givenUpCount) files were given up, which is more than 1 in 100")
    }
    // A restart may have cut off an answer, so that the client never received it.
    if earlyCount * 2 > waitCount {
      errors.append("\(earlyCount) of \(waitCount) files came before they were asked to")
    }
    if tally.earlyAttemptCount > 0 {
      errors.append("\(tally.earlyAttemptCount) attempts began before the time that Retry-After asked for")
    }
    if tally.repeatedRefusalCount > 0 {
      errors.append("\(tally.repeatedRefusalCount) attempts followed after a file was refused for good")
    }
  }

  /// Finds files that are stored and were never sent, such as half of a file under another name.
  private mutating func compareNames(of samples: SampleFolder, in folder: URL) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in Set(names).subtracting(samples.files.map(\.lastPathComponent)).sorted() {
      errors.append("\(name) is stored, and was never sent")
    }
  }

  private static func isSame(_ file: URL, _ other: URL) -> Bool {
    guard let bytes = try? Data(contentsOf: file), let otherBytes = try? Data(contentsOf: other) else { return false }
    return bytes == otherBytes
  }
}

extension SoakComparison {
  /// The counts, as text.
  var lines: [String] {
    var lines = ["faults that the stored files survived:"]
    for fault in SoakFault.allCases where fault != .refusal {
      lines.append("  \(survived[fault] ?? 0) \(fault.description)")
    }
    lines += [
      "\(restarts.count) restarts, which cut \(restarts.cutConnections) connections",
      "\(waitCount - earlyCount) of \(waitCount) waited as long as Retry-After asked for",
      "\(storedCount) of \(fileCount) files are stored, each byte by byte as it was",
    ]
    lines.append("\(refusedCount) files are listed as refused for good")
    lines += Self.listed(refused)
    lines.append("\(givenUpCount) files are listed as failed after all attempts")
    lines += Self.listed(givenUp)
    return lines + ["\(requestCount) requests reached the receiver"]
  }

  /// Returns a line for each reason, with its files.
  private static func listed(_ files: [String: [String]]) -> [String] {
    files.sorted { $0.key < $1.key }.prefix(20).map { "  \($0.key) \($0.value.listed)" }
  }
}
