try await `OperationFlow`()
try await `Steps that share data`()
