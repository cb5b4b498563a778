// prints: reached draft
// prints: reached checked
// prints: reached published
try await `Running a progression`()
// prints: lift-off: https://example.org/2
print(try await Announcement.publishing(.draft("to be")).run())

try await `Storing and continuing`()
print(await flow.run().report.summary)

try await `A diagram`()
