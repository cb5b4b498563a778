import OperationFlow

print(Flow("examples").generateSummary())
