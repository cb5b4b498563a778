import OperationFlow

/// A table of what became of the examples, as text in columns.
struct ExampleTable {
  private var rows = [["Example", "Result", "Time", "Steps", "Items"]]

  /// Adds an example.
  ///
  /// Its time is that of its runs, as in their summaries; `duration` is for one that has none.
  mutating func add(_ name: String, _ verdict: Example.Verdict, _ duration: Duration, _ records: [FlowRecord]) {
    let steps = records.flatMap(\.steps).filter { $0.kind != .branch && $0.attempts > 0 }
    let items = steps.compactMap(\.items).reduce((succeeded: 0, failed: 0)) { sum, items in
      (sum.succeeded + items.succeeded, sum.failed + items.failed)
    }
    let itemText = items.succeeded + items.failed == 0 ? "" : "\(items.succeeded)"
    let time = records.isEmpty ? duration : records.compactMap(\.ending?.duration).reduce(.zero, +)
    rows.append([
      name, verdict.rawValue, Self.text(of: time), "\(steps.count)",
      itemText + (items.failed > 0 ? ", \(items.failed) failed" : ""),
    ])
  }

  var text: String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      return "  " + cells.joined(separator: "  ").replacing(#/\s+$/#, with: "")
    }.joined(separator: "\n")
  }

  /// The duration in milliseconds, so that a column of them can be compared.
  private static func text(of duration: Duration) -> String {
    "\(Int((duration / .milliseconds(1)).rounded())) ms"
  }
}
