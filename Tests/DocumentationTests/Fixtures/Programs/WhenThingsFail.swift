// prints: ["/a", "/b"]
try await `Trying again`()
print(try await flow.run(with: ["drafts": ["a", "b"]]).get()[.addresses]?.map(\.path) ?? [])
print(await Flow().add("sign in", .retry(.attempts(3))) { _ in throw Rejected() }.run().report.summary)

// prints: true
try await `Limiting the time`()
print(await flow.run().isSuccess)

// prints: [rates] after 2 attempts
try await `Recovering`()
