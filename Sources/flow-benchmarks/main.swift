import Foundation

guard let options = Options(CommandLine.arguments.dropFirst()) else {
  print(Options.help)
  exit(2)
}
if let name = options.memoryCase {
  await MemoryCase.all.first { $0.name == name }?.run()
  print(MemoryCase.peak)
  exit(0)
}

let benchmarks: [Benchmark] = [
  .serialChain, .group, .asynchronousItems, .asynchronousChain, .emptyFlow, .log, .getData, .scale, .progressionOnQueue,
  .progressionAsynchronous, .progressionSuspending,
]
var measurements: [Measurement] = []
print(Table.header)
for benchmark in benchmarks where options.filter.isEmpty || benchmark.name.contains(options.filter) {
  let measured = await benchmark.measure(rounds: options.rounds)
  measurements += measured
  for measurement in measured { print(Table.row(measurement)) }
}
if options.filter.isEmpty || "memory".contains(options.filter) {
  print("\n| memory | peak resident size, KiB |\n| --- | --- |")
  for memory in MemoryCase.all { print("| \(memory.name) | \(try memory.measure() / 1_024) |") }
}
if let file = options.jsonFile {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
  try encoder.encode(measurements).write(to: URL(fileURLWithPath: file))
}
print(
  "\n\(measurements.filter(\.isWithinLimit).count) within their limits, \(measurements.filter { !$0.isWithinLimit }.count) not"
)
