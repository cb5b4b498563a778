// prints: message: Hello, ben
// prints: password: <redacted>
try await `The values a run starts with`()
print(await flow.run(with: ["user": "ben"]).report.summary)

// prints: account: account 7
// prints: [count] ann has logged in 1 times
given.flow = Flow().set(.user, to: "ann").set("account", to: Account(number: 7, password: "secret"))
try await `In a closure`()
given.outcome = await flow.run()
print(outcome.report.summary)

// prints: 1 ["account", "logins", "user"]
try await `After the run`()
