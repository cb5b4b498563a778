// Every test of the target needs these modules.
@_exported import OperationFlow
@_exported import TestSupport
