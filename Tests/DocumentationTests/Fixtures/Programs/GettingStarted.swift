try await `A flow`()
try await `A run`()
// prints: 5
try await `A run, 2`()

// prints: 2
// prints: MissingText()
let reading = Flow().add(LoadTextOp()).add(CountWordsOp())
print(await reading.run(with: ["name": "sonnet"]).report[.wordCount] ?? 0)
print(await reading.run(with: ["name": "lost"]).error ?? "none")
