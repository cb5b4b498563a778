// prints: 2  EmptyWord()
try await `Over an array`()
// prints: 0 1
// prints: 1 EmptyWord()
// prints: 2 3
try await `Every result in its place`()
// prints: 0 10
// prints: 4 50
try await `Each result as it comes, 2`()
// prints: 50005000
try await `Over a sequence`()
print(await flow.run().report["sum"] ?? 0)

// prints: [1, 2]
try await `With an operation`()
print(await flow.run(with: ["words": ["a", "bb"]]).report[.lengths] ?? [])

// prints: 4
let sum = Flow().addGrouped(operationCreator: LengthOp.self, dispatcher: SumDispatcher())
print(await sum.run(with: ["words": ["ccc", "a"]]).report[.total] ?? 0)
