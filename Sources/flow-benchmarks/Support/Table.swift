import Foundation

/// Prints measurements as the rows of one table.
enum Table {
  static let header = """
    | benchmark | peer | ns a unit, median (minimum to maximum) | ratio | at most |
    | --- | --- | --- | --- | --- |
    """

  static func row(_ measurement: Measurement) -> String {
    let times = "\(ns(measurement.median)) (\(ns(measurement.minimum)) to \(ns(measurement.maximum)))"
    let ratio = String(format: "%.2f", measurement.ratio)
    let limit =
      measurement.limit.map { String(format: "%.2f", $0) + (measurement.isWithinLimit ? "" : ", missed") } ?? ""
    return "| \(measurement.benchmark) | \(measurement.peer) | \(times) | \(ratio) | \(limit) |"
  }

  static let memoryHeader = """
    | in a process of its own | beyond | KiB, at the peak | KiB each | at most | threads | at most | ms | at most |
    | --- | --- | --- | --- | --- | --- | --- | --- | --- |
    """

  static func row(_ result: MemoryCase.Result) -> String {
    let limit = result.limit.map { String(format: "%.0f", $0) + (result.isWithinMemory ? "" : ", missed") } ?? ""
    let threads = result.threads == 0 ? "" : "\(result.threads)"
    let threadLimit = result.threadLimit.map { "\($0)" + (result.isWithinThreads ? "" : ", missed") } ?? ""
    let (all, each) = (String(format: "%.0f", result.kibibytes), String(format: "%.1f", result.kibibytesEach))
    let timeLimit = result.timeLimit.map { ns($0) + (result.isWithinTime ? "" : ", missed") } ?? ""
    let cells = [
      result.name, result.beyond, all, each, limit, threads, threadLimit, ns(result.milliseconds), timeLimit,
    ]
    return "| " + cells.joined(separator: " | ") + " |"
  }

  private static func ns(_ value: Double) -> String { String(format: "%.0f", value) }
}
