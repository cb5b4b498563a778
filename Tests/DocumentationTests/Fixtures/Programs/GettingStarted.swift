try await `Three steps`()
try await `A run`()
try await `An operation`()
// prints: 5
try await `An operation, 2`()

// prints: 2
// prints: MissingText()
let reading = Flow().add(LoadTextOp()).add(CountWordsOp())
print(await reading.run(with: ["name": "sonnet"]).report[.wordCount] ?? 0)
print(await reading.run(with: ["name": "lost"]).error ?? "none")
