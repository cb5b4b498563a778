import Foundation
import OperationFlow

/// The lines that show what is running at a moment.
struct ProgressLines {
  /// The most groups with lines, and the most steps with lines.
  private static let limit = 8

  let name: String
  let work: RunningWork
  let now: Date
  /// The values that are hidden in the lines.
  var secrets = RunSecrets()
  /// True while the journal of a durable run is read.
  var isOpening = false
  /// The step or branch that contains each step, by their numbers.
  var parents: [Int: Int] = [:]

  /// Returns lines that fit a window: none is too wide, and there are fewer lines than rows.
  ///
  /// - Parameter window: The size of the window.
  /// - Returns: The lines.
  func fitting(_ window: TerminalWindow) -> [String] {
    let seconds = work.start.map { " " + time(since: $0) }
    var lines = [shown(name) + (seconds ?? "") + (work.isPaused ? ", paused" : "")]
    if isOpening { lines[0] += ", reads its journal" }
    let groups = work.groups.sorted { ($0.value.since, $0.key) < ($1.value.since, $1.key) }
    let steps = work.steps.sorted { ($0.value.since, $0.key) < ($1.value.since, $1.key) }
    let listed = Set((groups.prefix(Self.limit).map(\.key) + steps.prefix(Self.limit).map(\.key)))
    for running in nested(groups.map(\.key) + steps.map(\.key), listed) {
      let indent = String(repeating: "  ", count: running.depth + 1)
      if let group = work.groups[running.step] {
        lines.append(indent + line(group, columns: window.columns - 1 - indent.count))
      } else if let step = work.steps[running.step] {
        lines.append(indent + line(step))
      }
    }
    let rest = max(0, groups.count - Self.limit) + max(0, steps.count - Self.limit)
    if rest > 0 { lines.append("  … and \(rest) more") }
    // The last column is unused, because some terminals begin a new line after a character in it.
    return lines.prefix(max(1, window.rows - 1)).map { DisplayWidth.cut($0, to: max(1, window.columns - 1)) }
  }

  /// Returns the listed steps with their depths, each step after the listed step that contains it.
  private func nested(_ running: [Int], _ listed: Set<Int>) -> [(step: Int, depth: Int)] {
    var within: [Int: [Int]] = [:]
    var outermost: [Int] = []
    var seen: Set<Int> = []
    for step in running where listed.contains(step) && seen.insert(step).inserted {
      var outer = parents[step]
      while let next = outer, !listed.contains(next) { outer = parents[next] }
      if let outer { within[outer, default: []].append(step) } else { outermost.append(step) }
    }
    var lines: [(step: Int, depth: Int)] = []
    var waiting = outermost.reversed().map { (step: $0, depth: 0) }
    while let next = waiting.popLast() {
      lines.append(next)
      waiting += (within[next.step] ?? []).reversed().map { ($0, min(next.depth + 1, 6)) }
    }
    return lines
  }

  /// Returns the line of a group: its counts, its rate and remaining time, and a bar if there is room for one.
  func line(_ group: RunningWork.Group, columns: Int = 0) -> String {
    let (name, counts) = (shown(group.name), counts(of: group))
    // Bars have 5 to 20 columns: shorter ones are hard to read, and longer ones show no more.
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

  /// Returns a text without hidden values and control characters.
  private func shown(_ text: String) -> String { LineText.escaped(secrets.scrubbing(text)) }

  /// Returns the time since a moment, in whole seconds.
  private func time(since date: Date) -> String {
    let seconds = max(0, now.timeIntervalSince(date).rounded(.down))
    return seconds == 0 ? "0 s" : DurationText.of(.clamping(seconds: seconds))
  }
}
