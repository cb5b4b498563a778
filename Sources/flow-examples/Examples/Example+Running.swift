import Foundation
import OperationFlow

extension Example {
  /// Runs examples one after the other, reports how each went, and ends with an overview of what failed.
  ///
  /// - Parameters:
  ///   - examples: The examples.
  ///   - isInFull: Whether summaries are printed; those of an example that fails always are.
  ///   - reports: A folder to which reports of all runs are written; nil for none.
  /// - Returns: How many examples failed.
  static func run(_ examples: [Example], inFull isInFull: Bool, reports: URL?) async -> Int {
    var planned: [String] = []
    var broken: [String] = []
    var verdicts: [Verdict] = []
    var table = ExampleTable()
    var records: [(name: String, record: FlowRecord)] = []
    for example in examples {
      print(isInFull ? "\n# \(example.name)" : "\n\(example.name)")
      let output = ExampleOutput()
      var failure: (any Error)?
      let duration = await ContinuousClock().measure {
        do { try await example.run(output) } catch { failure = error }
      }
      if isInFull || failure != nil {
        for text in output.texts { print(text) }
      } else {
        for record in output.records { print(Self.brief(record)) }
      }
      let verdict = Verdict(failure, output.records)
      verdicts.append(verdict)
      if isInFull || failure != nil { print("\(example.name): \(verdict.rawValue.lowercased())") }
      for line in output.lines { print("  \(line)") }
      table.add(example.name, verdict, duration, output.records)
      records += output.records.map { (example.name, $0) }
      planned += output.failures.map { "  \(example.name): \($0)" }
      guard let failure else { continue }
      broken.append("  \(example.name): \(failure)")
      Console.report("flow-examples: \(example.name): \(failure)")
    }
    report(planned, under: "What failed in them, as it is meant to:")
    report(broken, under: "What failed, and is not meant to:")
    print("\n\(table.text)")
    var isReported = true
    if let reports {
      do {
        try write(records, to: reports)
      } catch {
        isReported = false
        Console.report("flow-examples: \(error)")
      }
    }
    if !isInFull {
      print("\nFor full summaries: flow-examples EXAMPLE, such as flow-examples login, or flow-examples --verbose")
      print("For many uploads to a server that makes trouble: flow-examples soak")
    }
    let (passed, meant) = (verdicts.count { $0 == .passed }, verdicts.count { $0 == .failedAsMeant })
    print("\nflow-examples: \(passed) examples passed, \(meant) failed as meant, \(broken.count) failed")
    return broken.count + (isReported ? 0 : 1)
  }

  private static func write(_ records: [(name: String, record: FlowRecord)], to url: URL) throws {
    var folder = try ReportFolder(url)
    for (name, record) in records { try folder.add(record, named: name) }
    try folder.finish()
    print("\nreports of \(records.count) runs: \(url.path)")
  }

  /// The brief summary of a record, indented.
  private static func brief(_ record: FlowRecord) -> String {
    let summary = record.summary(style: FlowSummaryStyle(form: .brief(lineLimit: 10)))
    return summary.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
  }

  private static func report(_ lines: [String], under title: String) {
    guard !lines.isEmpty else { return }
    print("\n\(title)")
    for line in lines { print(line) }
  }

  /// The examples whose names contain a text, ignoring the case of its letters.
  static func named(_ text: String) -> [Example] {
    all.filter { $0.name.lowercased().contains(text.lowercased()) }
  }
}
