import Foundation

extension FlowRun.Waiting {
  /// Returns the name of the step or item, and for how long the run waits for it.
  package func text(at now: Date) -> String {
    let place = path.map { LineText.escaped($0.description) } ?? source.description
    let who = place + (item.map { ", item #\($0)" } ?? "") + (attempt > 1 ? ", attempt \(attempt)" : "")
    let what =
      switch reason {
      case .work where endsLater: "has said that it ends later, and has to finish"
      case .work: "runs"
      case .dependencies:
        "waits for operations that it depends on" + (dependencies.isEmpty ? "" : ": " + Self.listed(dependencies))
      case .limit:
        "waits for a permit of \(limiter ?? "a limiter")"
          + (keptBy.isEmpty ? "" : ", kept by abandoned work: " + Self.listed(keptBy))
      case .journal: "waits for the run's journal"
      case .nextItem: "waits for the next element of its sequence"
      case .result: "has ended; its result has to be taken"
      case .nextAttempt: "waits before its next attempt"
      case .date(let date): "waits until \(date.ISO8601Format())"
      case .signal(let name, nil): "waits for the signal \(LineText.escaped(name))"
      case .signal(let name, let date?): "waits for the signal \(LineText.escaped(name)) until \(date.ISO8601Format())"
      }
    return "\(who) \(what), for \(DurationText.of(.seconds(max(0, now.timeIntervalSince(since)))))"
  }

  private static func listed(_ all: [String]) -> String {
    let names = all.prefix(5).map(LineText.escaped).joined(separator: ", ")
    return names + (all.count > 5 ? " and \(all.count - 5) more" : "")
  }
}
