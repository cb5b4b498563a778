// prints: true ["Dear Ann"]
try await `Pass it to the initializer`()

// prints: Print: succeeded after 1 ms
try await `A client that isn't Sendable`()
