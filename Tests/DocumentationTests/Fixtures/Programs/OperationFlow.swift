// prints: [GreetOp] greeted Ann
// prints: [count] 10 characters
try await `Overview`()
