try await `Keeping journals in a database`()
for _ in 0..<2 { try await `Starting and resuming`() }
try await `Starting and resuming, 2`()

// prints: ["one!"]
let outcome = await Flow("Memory").set(.parcels, to: ["one"])
  .forEach(.parcels, into: .receipts) { parcel, context in try await deliver(parcel, key: context.idempotencyKey) }
  .run(id: "a", in: MemoryFlowStore())
print(outcome.report[.receipts] ?? [])
