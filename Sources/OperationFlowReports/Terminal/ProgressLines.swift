import Foundation
import OperationFlow

/// The lines that show what is running at a moment.
struct ProgressLines {
  /// How many groups, and how many steps, have lines.
  private static let limit = 8

  let name: String
  let work: RunningWork
  let now: Date
  /// The values that are hidden in names.
  var secrets = RunSecrets()
  /// True while the journal of a durable run is read.
  var isOpening = false

  /// Returns the lines for a window: none is wider, and there are fewer than the window has rows.
  ///
  /// - Parameter window: The size of the window.
  /// - Returns: The lines.
  func fitting(_ window: TerminalWindow) -> [String] {
    let seconds = work.start.map { " " + time(since: $0) }
    var lines = [shown(name) + (seconds ?? "") + (work.isPaused ? ", paused" : "")]
    if isOpening { lines[0] += ", reads its journal" }
    let groups = work.groups.sorted { ($0.value.since, $0.key) < ($1.value.since, $1.key) }
    let steps = work.steps.sorted { ($0.value.since, $0.key) < ($1.value.since, $1.key) }
    lines += groups.prefix(Self.limit).map { "  " + line($0.value, columns: window.columns - 3) }
    lines += steps.prefix(Self.limit).map { "  " + line($0.value) }
    let rest = max(0, groups.count - Self.limit) + max(0, steps.count - Self.limit)
    if rest > 0 { lines.append("  … and \(rest) more") }
    // The last column stays free, because some terminals begin a new line when it is written to.
    return lines.prefix(max(1, window.rows - 1)).map { DisplayWidth.cut($0, to: max(1, window.columns - 1)) }
  }

  /// The counts of a group, with what they say about the time that is left, and a bar if there is room for one.
  func line(_ group: RunningWork.Group, columns: Int = 0) -> String {
    let (name, counts) = (shown(group.name), counts(of: group))
    // Longer bars show no more, and shorter ones hardly anything.
    let room = min(20, columns - DisplayWidth.of(name) - DisplayWidth.of(counts) - 4)
    guard let total = group.total, total > 0, room >= 5 else { return name + "  " + counts }
    let filled = min(room, group.doneCount * room / total)
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: room - filled)
    return name + "  " + bar + "  " + counts
  }

  private func counts(of group: RunningWork.Group) -> String {
    var parts = [group.total.map { "\(group.doneCount) of \($0)" } ?? "\(group.doneCount) done"]
    if group.failedCount > 0 { parts.append("\(group.failedCount) failed") }
    let seconds = now.timeIntervalSince(group.since)
    let count = group.doneCount - group.earlierCount
    if count > 0, seconds > 0 {
      let rate = Double(count) / seconds
      parts.append((rate < 10 ? "\((rate * 10).rounded() / 10)" : "\(Int(min(rate, 1e9).rounded()))") + "/s")
      if let total = group.total, total > group.doneCount {
        let left = (Double(total - group.doneCount) / rate).rounded(.up)
        parts.append(DurationText.of(.seconds(min(left, 1e9))) + " left")
      }
    }
    return parts.joined(separator: "  ")
  }

  private func line(_ step: RunningWork.Step) -> String {
    let attempt = step.attempt > 1 ? ", attempt \(step.attempt)" : ""
    let progress = step.progress.map { ": " + shown($0) } ?? ""
    return shown(step.name) + progress + attempt + "  " + time(since: step.since)
  }

  /// A text as it may be shown in a line.
  private func shown(_ text: String) -> String { LineText.escaped(secrets.scrubbing(text)) }

  /// How long ago a moment was, in whole seconds.
  private func time(since date: Date) -> String {
    let seconds = max(0, now.timeIntervalSince(date).rounded(.down))
    return seconds == 0 ? "0 s" : DurationText.of(.clamping(seconds: seconds))
  }
}
