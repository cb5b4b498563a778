import Foundation

guard let options = Options(CommandLine.arguments.dropFirst()) else {
  print(Options.help)
  exit(2)
}
if let parent = options.spinsFor {
  BackgroundLoad.spin(for: parent)
  exit(0)
}
if let name = options.memoryCase {
  await MemoryCase.all.first { $0.name == name }?.report()
  exit(0)
}

let benchmarks: [Benchmark] = [
  .serialChain, .asynchronousSteps, .asynchronousAgainstPlain, .runAgainstMainLogic, .traits, .itemTraits, .group,
  .asynchronousItems, .blockingItems, .asynchronousChain,
  .emptyFlow, .log, .getData, .scale, .widthOfAll, .branches, .writingBranches, .nestedFlows, .nestedCases, .bigValues,
  .bigValuesUnrecorded, .sensitiveNames, .limitedSteps, .limitedItems, .journalAppend, .journalSynchronize,
  .serialStages, .progressionOnQueue, .progressionAsynchronous, .progressionSuspending,
  .durableSteps, .groupedItems, .resumedItems,
]
var measurements: [Measurement] = []
var memories: [MemoryCase.Result] = []
var tables = ""

/// Prints a line immediately, and adds it to the document's tables if `isKept` is true.
@MainActor func show(_ line: String, isKept: Bool = true) {
  print(line)
  if isKept { tables += line + "\n" }
}

if options.load > 0 {
  try BackgroundLoad.start(options.load)
  show("Measured while other processes kept \(options.load) processors busy.\n")
}
let all = (Benchmark.usersWork + benchmarks + Benchmark.reports)
  .filter { options.filter.isEmpty || $0.name.contains(options.filter) }
if let commit = options.commit {
  let comparison = try Comparison(against: commit)
  print(Comparison.header)
  let memory = options.filter.isEmpty || options.filter == "memory" ? ["memory"] : []
  for name in all.map(\.name) + memory {
    for row in try comparison.rows(of: name, rounds: options.rounds) { print(row) }
  }
  exit(0)
}
show(Table.header)
for benchmark in all {
  let measured = await benchmark.measure(rounds: options.rounds)
  measurements += measured
  for measurement in measured {
    show(Table.row(measurement), isKept: measurement.limit != nil && !benchmark.comparesSizes)
  }
}
let memoryCases = MemoryCase.all.dropFirst().filter { memory in
  options.filter.isEmpty || "memory".contains(options.filter) || memory.name.contains(options.filter)
}
if !memoryCases.isEmpty {
  show("\n" + Table.memoryHeader)
  for memory in memoryCases {
    memories.append(try memory.measure())
    for result in memories.suffix(1) { show(Table.row(result), isKept: result.hasLimit) }
  }
}
if let document = options.document { try FigureSection.update(document, with: tables) }
if let file = options.jsonFile {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
  try encoder.encode(Results(times: measurements, memory: memories)).write(to: URL(fileURLWithPath: file))
}
let areWithin =
  measurements.filter { $0.limit != nil }.map(\.isWithinLimit)
  + memories.filter(\.hasLimit).map(\.isWithinLimit)
print("\n\(areWithin.count { $0 }) within their limits, \(areWithin.count { !$0 }) not")

/// The contents of the file of results.
struct Results: Codable {
  let times: [Measurement]
  let memory: [MemoryCase.Result]
}
