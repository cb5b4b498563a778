try await `OperationFlow`()
try await `OperationFlow, 2`()
