import Foundation
import OperationFlow
import OperationFlowDurable

extension Tool {
  /// Prints runs in columns.
  func list(_ runs: [FlowStoredRun]) {
    let rows = runs.map(RunDescription.init).map { run in
      [
        run.id, run.flow, run.began ?? "-", "\(run.settledSteps)", "\(run.crashes)", "\(run.bytes)",
        ValueText.cut(run.stateText, limit: 200),
      ]
    }
    print([["ID", "FLOW", "BEGAN", "STEPS", "CRASHES", "BYTES", "STATE"]] + rows)
  }

  /// Prints one run, with its steps, values and signals as far as they can be read.
  func show(_ run: FlowStoredRun, in store: FileFlowStore, _ isJSON: Bool) async throws -> ExitCode {
    var description = RunDescription(run)
    if case .unreadable(let error) = run.state {
      if isJSON { console.print(try RunDescription.json(description)) }
      throw error
    }
    if let record = try await store.record(of: run.id) { description.add(record) }
    if isJSON {
      console.print(try RunDescription.json(description))
      return .done
    }
    print([
      ["run", description.id], ["flow", description.flow], ["state", description.stateText],
      ["began", description.began ?? "-"], ["ended", description.ended ?? "-"], ["crashes", "\(run.crashCount)"],
      ["bytes", "\(run.byteCount)"],
    ])
    let steps = (description.steps ?? []).map { step in
      let items = step.settledItems == 0 ? "" : "\(step.settledItems) items, \(step.failedItems) failed"
      return [step.path, step.attempt > 1 ? "attempt \(step.attempt)" : "", items, step.state]
    }
    print(title: "steps", steps)
    print(title: "values", (description.values ?? [:]).sorted { $0.key < $1.key }.map { [$0.key, $0.value] })
    print(title: "signals in the mailbox", (description.messages ?? []).map { [$0.signal, $0.sent] })
    return .done
  }

  private func print(title: String, _ rows: [[String]]) {
    if rows.isEmpty { return }
    console.print("\(title):")
    print(rows.map { ["  " + ($0.first ?? "")] + $0.dropFirst() })
  }

  /// Prints rows in columns; each column but the last is as wide as its widest text.
  private func print(_ rows: [[String]]) {
    let rows = rows.map { $0.map(LineText.escaped) }
    let widths = (0..<(rows.map(\.count).max() ?? 0)).map { column in
      rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
    }
    for row in rows {
      var line = ""
      for (column, text) in row.enumerated() {
        let isLast = column == row.count - 1
        // A column that is empty in every row has no width.
        if widths[column] == 0 { continue }
        line += text + (isLast ? "" : String(repeating: " ", count: widths[column] - text.count + 2))
      }
      console.print(line)
    }
  }
}
