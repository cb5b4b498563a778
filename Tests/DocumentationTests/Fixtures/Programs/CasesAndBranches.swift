func printSteps(_ target: String) async {
  let events = await flow.run(with: ["target": target]).report.events
  print(target, events.filter { $0.kind == .started }.map(\.source.description).joined())
}

// prints: web [ResizeOp][WatermarkOp][NotifyOp]
// prints: print [ConvertOp][NotifyOp]
// prints: film [ArchiveOp][NotifyOp]
try await `Branches in closures`()
for target in ["web", "print", "film"] { await printSteps(target) }

// A chain does the same.
// prints: web [ResizeOp][WatermarkOp][NotifyOp]
// prints: print [ConvertOp][NotifyOp]
// prints: film [ArchiveOp][NotifyOp]
for target in ["web", "print", "film"] {
  try await `Branches in a chain`()
  await printSteps(target)
}

// prints: web [Prepare][ResizeOp][WatermarkOp][NotifyOp]
// prints: film [Prepare][ResizeOp][NotifyOp]
try await `A flow as a step`()
for target in ["web", "film"] { await printSteps(target) }

let early = Flow().cases(on: .target) { $0.when("web") { $0.add(ResizeOp()) } }
print(await early.run(with: ["target": "film"]).report.summary)
