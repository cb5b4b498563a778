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

  private static func ns(_ value: Double) -> String { String(format: "%.0f", value) }
}
