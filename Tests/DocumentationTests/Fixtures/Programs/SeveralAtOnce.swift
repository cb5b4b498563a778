// prints: [publish] 2 thumbnails, 2 tags
try await `Parallel branches`()
print(await flow.run(with: ["pictures": ["a", "b"]]).report.summary)
