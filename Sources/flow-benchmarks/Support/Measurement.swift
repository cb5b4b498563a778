import Foundation

/// The times of one peer over all rounds, in nanoseconds per unit.
struct Measurement: Sendable, Codable {
  let benchmark: String
  let peer: String
  let median: Double
  let minimum: Double
  let maximum: Double
  /// The median of the rounds' ratios to the baseline, each from the same round.
  let ratio: Double
  let limit: Double?

  var isWithinLimit: Bool { limit.map { ratio <= $0 } ?? true }
}

extension Benchmark {
  /// Runs all peers in turn, round after round, so that other work of the machine affects all of them alike.
  func measure(rounds: Int) async -> [Measurement] {
    var times: [String: [Double]] = [:]
    for peer in peers { await peer.run() }  // warms up caches, pools and lazy globals
    for round in 0..<rounds {
      // Every other round runs backwards, so that no peer always follows the same one.
      for peer in round.isMultiple(of: 2) ? peers : peers.reversed() {
        let nanoseconds = await measure.nanoseconds(of: peer.run)
        times[peer.name, default: []].append(nanoseconds / Double(unitCount))
      }
    }
    let base = times[baseline] ?? []
    return peers.map { peer in
      let own = times[peer.name] ?? []
      let ratios = zip(own, base).map { $0 / $1 }
      return Measurement(
        benchmark: name, peer: peer.name, median: own.median, minimum: own.min() ?? 0, maximum: own.max() ?? 0,
        ratio: ratios.median, limit: peer.limit)
    }
  }
}

extension Benchmark.Measure {
  /// Performs the work, and returns the time that it needs.
  func nanoseconds(of work: () async -> Void) async -> Double {
    switch self {
    case .elapsedTime:
      return await ContinuousClock().measure { await work() }.nanoseconds
    case .processorTime:
      let beginning = Self.processorNanoseconds
      await work()
      return Self.processorNanoseconds - beginning
    }
  }

  private static var processorNanoseconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}

extension Duration {
  var nanoseconds: Double {
    Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
  }
}

extension [Double] {
  var median: Double {
    guard !isEmpty else { return 0 }
    let sorted = sorted()
    return count.isMultiple(of: 2) ? (sorted[count / 2 - 1] + sorted[count / 2]) / 2 : sorted[count / 2]
  }
}
