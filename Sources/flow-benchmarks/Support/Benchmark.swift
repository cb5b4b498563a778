/// A measurement of several ways to do the same work, one of which is the baseline of the ratios.
struct Benchmark: Sendable {
  let name: String
  /// The number of steps, items or flows in one run of each peer; times are given for one of them.
  let unitCount: Int
  /// The name of the peer that the others are compared with.
  let baseline: String
  let peers: [Peer]
  var measure: Measure = .elapsedTime

  /// The kind of time to measure.
  enum Measure: Sendable {
    /// The time between the beginning and the end of the work.
    case elapsedTime
    /// The time of all processors for this process during the work, in its code and in the system's.
    case processorTime
  }

  /// True if the benchmark compares the same work in two sizes.
  var comparesSizes: Bool { baseline.first?.isNumber ?? false }

  /// One way to do the work.
  struct Peer: Sendable {
    let name: String
    /// The ratio to the baseline that the peer should not exceed; `nil` if the ratio is only shown.
    var limit: Double?
    let run: @Sendable () async -> Void

    init(_ name: String, limit: Double? = nil, run: @escaping @Sendable () async -> Void) {
      self.name = name
      self.limit = limit
      self.run = run
    }
  }
}

extension Benchmark {
  init(processorTimeOf name: String, unitCount: Int, baseline: String, peers: [Peer]) {
    self.init(name: name, unitCount: unitCount, baseline: baseline, peers: peers, measure: .processorTime)
  }
}
