try await `OperationFlow`()
try await `Typed keys and operations`()
