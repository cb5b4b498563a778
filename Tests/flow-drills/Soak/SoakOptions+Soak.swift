import Foundation
import OperationFlow
import OperationFlowReports
import UploadServer
import Uploader

extension SoakOptions {
  /// Uploads the files to a receiver with faults, compares what is stored, and prints the results.
  ///
  /// - Returns: The exit code: 0 if every file is stored unchanged or listed as failed, 1 if not, and 130 or 143 if a
  ///   signal cancelled the soak.
  func soak() async -> Int32 {
    do {
      let samples = try SampleFolder(fileCount: fileCount, sizes: .mixed, seed: seed)
      defer { try? samples.remove() }
      // An empty folder, for what the receiver stores.
      let storage = try SampleFolder(fileCount: 0)
      defer { try? storage.remove() }
      return try await soak(samples, storage)
    } catch {
      Console.report("flow-drills: \(error)")
      return 1
    }
  }

  private func soak(_ samples: SampleFolder, _ storage: SampleFolder) async throws -> Int32 {
    let names = samples.files.map(\.lastPathComponent)
    let plan = FaultPlan(seed: seed)
    let receiver = FaultyReceiver(
      plan: plan, storingIn: storage.url, planted: planted, victim: names.first { !plan.refuses($0) })
    Proxy.bypassOnLoopback()
    try receiver.start()
    defer { receiver.stop() }
    print("soak: \(names.count) files, seed \(seed), \(rules.width) at once, up to \(rules.attempts) attempts")
    print("planned for the first attempts: \(Self.listed(plan.firstFaults(of: names)))")

    let interruption = Interruption()
    let start = ContinuousClock.now
    let insists = planted == .insist
    let tally = SoakTally()
    let run = Flow.uploading(samples.url, to: try receiver.url, by: rules) { error in
      insists || UploadRules.isWorthRetrying(error)
    }
    .observe { event in tally.add(event) }
    .start()
    interruption.cancels(run)
    await TerminalProgress().follow(run)
    let outcome = await run.outcome
    let time = start.duration(to: .now)
    receiver.stop()

    if let code = interruption.exitCode, case .cancelled = outcome {
      print("cancelled; nothing was compared")
      return code
    }
    let comparison = SoakComparison(of: samples, with: receiver, outcome: outcome, tally)
    for line in comparison.lines { print(line) }
    print("\(tally.attemptCount) attempts in \(Self.seconds(time)) s")
    for line in comparison.errors.prefix(20) { print("wrong: \(line)") }
    print(comparison.errors.isEmpty ? "all is right" : "\(comparison.errors.count) errors")
    return comparison.errors.isEmpty ? 0 : 1
  }

  private static func seconds(_ time: Duration) -> String {
    let tenths = time.components.seconds * 10 + time.components.attoseconds / 100_000_000_000_000_000
    return "\(tenths / 10).\(tenths % 10)"
  }

  /// Returns a text such as `12 answered 500, 3 met by a restart`.
  private static func listed(_ counts: [SoakFault: Int]) -> String {
    SoakFault.allCases.map { "\(counts[$0] ?? 0) \($0.description)" }.joined(separator: ", ")
  }
}
