// prints: 1.0
try await `Progress`()

// prints: [rename] starts
// prints: [rename] ends: successfully
// prints: info [rename] renamed
given.flow = Flow("Rename").add("rename") { $0.log("renamed") }
try await `The log`()
try await `Events`()
try await `The record`()

// prints: iban: <redacted>
// prints: pin: 1
given.flow = Flow().setData(name: "pin", value: "1").setData(name: "iban", value: "DE02").add("wait") { _ in }
try await `What is hidden`()
print(await flow.run().report.summary)
