// prints: exit code 1
try await `Exit codes`()

// prints: [greet] hello
try await `Await the run`()
