import Foundation
let only = CommandLine.arguments.dropFirst().first
for benchmark in [Benchmark.serialChain] {
  if let only {
    for peer in benchmark.peers where peer.name == only { for _ in 0..<100 { await peer.run() } }; continue
  }
  for measurement in await benchmark.measure(rounds: 9) {
    print(
      measurement.peer, Int(measurement.median), Int(measurement.minimum), Int(measurement.maximum), measurement.ratio,
      measurement.isWithinLimit)
  }
}
