try await `Undoing`()
print(await flow.run().report.summary)
try await `Undoing, 2`()
// prints: true
try await `Running steps at the end`()
print(await flow.run().isSuccess)
