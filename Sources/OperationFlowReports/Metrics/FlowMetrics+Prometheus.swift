import OperationFlow

extension FlowMetrics {
  /// The metrics in the text format of Prometheus, version 0.0.4, with durations in seconds.
  ///
  /// The lines are sorted by name, so equal metrics have equal texts.
  public var prometheusText: String {
    let runs = PrometheusText.series(self.runs) {
      $0 < $1
    } labels: {
      [("flow", $0)]
    }
    let steps = Self.series(self.steps)
    let items = Self.series(self.items)
    var text = PrometheusText(forSeries: [runs, steps, items])
    text.add("flow_runs", "result", "Runs that have ended.", runs)
    text.add("flow_run_duration", "How long runs took.", runs, \.durations)
    text.add("flow_steps", "state", "Steps of runs.", steps)
    text.add("flow_step", attempts: "Attempts of steps.", steps)
    text.add("flow_step_duration", "How long steps took, with all attempts and items.", steps, \.durations)
    text.add("flow_step_wait", "How long steps waited before they began, such as for a permit.", steps, \.waits)
    text.add("flow_items", "state", "Items of groups that have ended.", items)
    text.add("flow_item", attempts: "Attempts of items.", items)
    text.add("flow_item_duration", "How long items took, with all attempts.", items, \.durations)
    return text.text
  }

  private static func series(_ counts: [StepName: Counts]) -> PrometheusText.Series {
    PrometheusText.series(counts) {
      $0.flow == $1.flow ? $0.step < $1.step : $0.flow < $1.flow
    } labels: {
      [("flow", $0.flow), ("step", $0.step)]
    }
  }
}

/// Writes the text format of Prometheus.
private struct PrometheusText {
  /// The counts under each name, with the name as labels.
  typealias Series = [(labels: String, counts: FlowMetrics.Counts)]

  private(set) var text = ""

  /// Creates an empty text with room for the lines of these series.
  init(forSeries series: [Series]) {
    let lineCount = FlowHistogram.bounds.count + 6
    text.reserveCapacity(series.joined().reduce(1_000) { $0 + lineCount * ($1.labels.utf8.count + 50) })
  }

  /// Returns the counts, sorted by their names.
  static func series<Name: Hashable>(
    _ counts: [Name: FlowMetrics.Counts], by isBefore: (Name, Name) -> Bool, labels: (Name) -> [(String, String)]
  ) -> Series {
    // Sorting indices is cheaper than moving counts.
    let counts = Array(counts)
    return counts.indices.sorted { isBefore(counts[$0].key, counts[$1].key) }.map {
      (text(labels(counts[$0].key)), counts[$0].value)
    }
  }

  /// The bounds of all histograms, as labels.
  private static let bounds = FlowHistogram.bounds.map { "le=\"\(seconds($0))\"} " }

  /// Appends a counter for each state.
  mutating func add(_ name: String, _ label: String, _ help: String, _ series: Series) {
    begin("\(name)_total", "counter", help)
    for (labels, counts) in series {
      for state in FlowRecord.State.allCases {
        guard let count = counts.states[state] else { continue }
        text += "\(name)_total{\(labels),\(label)=\"\(state.rawValue)\"} \(count)\n"
      }
    }
  }

  mutating func add(_ name: String, attempts help: String, _ series: Series) {
    begin("\(name)_attempts_total", "counter", help)
    for (labels, counts) in series { text += "\(name)_attempts_total{\(labels)} \(counts.attempts)\n" }
  }

  mutating func add(
    _ name: String, _ help: String, _ series: Series, _ histogram: KeyPath<FlowMetrics.Counts, FlowHistogram>
  ) {
    let name = "\(name)_seconds"
    begin(name, "histogram", help)
    for (labels, counts) in series {
      let histogram = counts[keyPath: histogram]
      let bucket = "\(name)_bucket{\(labels),"
      var sum = 0
      for (bound, count) in zip(Self.bounds, histogram.counts) {
        sum += count
        text += bucket
        text += bound
        text += "\(sum)\n"
      }
      let count = histogram.count
      text += "\(bucket)le=\"+Inf\"} \(count)\n"
      text += "\(name)_sum{\(labels)} \(Self.seconds(histogram.sum))\n\(name)_count{\(labels)} \(count)\n"
    }
  }

  private mutating func begin(_ name: String, _ type: String, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
  }

  private static func text(_ labels: [(String, String)]) -> String {
    labels.map { "\($0.0)=\"\(escaped($0.1))\"" }.joined(separator: ",")
  }

  /// Returns a duration in seconds, to the microsecond.
  private static func seconds(_ duration: Duration) -> String {
    let count = duration.microsecondCount
    let rest = String(count % 1_000_000)
    var digits = String(repeating: "0", count: 6 - rest.count) + rest
    while digits.last == "0" { digits.removeLast() }
    return "\(count / 1_000_000)" + (digits.isEmpty ? "" : ".") + digits
  }

  /// Returns a label's value with the format's three codes; names contain no other control characters.
  private static func escaped(_ text: String) -> String {
    // The usual case: printable ASCII only.
    let isPlain = text.utf8.allSatisfy { byte in
      0x20..<0x7F ~= byte && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
    if isPlain { return text }
    return text.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
  }
}
